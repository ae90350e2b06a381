package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.NamedLock;
import io.github.zklock.SessionStatus;
import io.github.zklock.leader.LeaderElection;

/**
 * Locks and elections on a store of nodes. What a store adds for its users is added by a
 * subclass. Thread-safe.
 *
 * <p>
 * It takes requests from its creation on. It can be stopped, and started again, any
 * number of times, until it is closed: its locks and elections stay what they are, with
 * their listeners, but what was held or led before is lost.
 *
 * <p>
 * Half of it hands calls of two interfaces on, so that users need one object only; the
 * other half is the order in which everything begins and ends.
 */
public abstract class LockEngine implements LockRegistry, LockInspector, AutoCloseable {

	private enum State {

		OPEN, STOPPING, STOPPED, CLOSED

	}

	private final Duration closeWait;

	private final Duration handOverWait;

	private final CallbackThreads users;

	private final EventLoop loop;

	private final SessionKeeper keeper;

	private final RegistryContext context;

	private final QueueCache queues = new QueueCache();

	private final Elections elections = new Elections();

	private final Registry registry;

	private final Inspector inspector;

	private final Object transition = new Object();

	// Written under the monitor of a transition
	private State state = State.OPEN;

	/**
	 * Create a registry. It opens no session yet.
	 * @param store where the nodes are
	 * @param settings how it behaves
	 */
	protected LockEngine(NodeStore store, EngineSettings settings) {
		Platform platform = settings.platform;
		NodeData nodeData = new NodeData(platform, settings.instance);
		NodePaths paths = new NodePaths(settings.root);
		String threadName = "zk-lock-" + LockNames.shown(nodeData.instance());
		this.closeWait = settings.closeWait;
		this.handOverWait = settings.handOverWait;
		this.loop = new EventLoop(threadName, platform, settings.faults, store.isLocal());
		this.users = new CallbackThreads(threadName, this.loop, settings.userExecutor);
		Listeners listeners = new Listeners(List.copyOf(settings.listeners), this.users);
		this.keeper = new SessionKeeper(settings.sessions(store), this.loop, this.users.background(), listeners);
		this.context = new RegistryContext(this.keeper, settings.contenders(), nodeData, this.users, listeners,
				new LossLog(this.loop, this.users.soon()), new ThreadHolds(), Durations.toNanos(settings.answerTimeout),
				new EmptyParents(this.keeper, this.queues::isInUse, Durations.toNanos(settings.parentIdle)),
				new AccessCheck(paths, store.isOpen(), settings.createRoot, this.users.background()));
		this.keeper.onNewSession(this.context.access()::connected);
		this.keeper.atEachTick(this::keepHouse);
		QueueReader reader = new QueueReader(this.keeper, nodeData);
		this.registry = new Registry(this.context, paths, this.queues, this.elections, reader, settings);
		this.inspector = new Inspector(this.keeper, paths, this.queues, this.registry, reader);
	}

	private void keepHouse() {
		this.context.threadHolds().purge();
		this.users.attend();
	}

	SessionKeeper keeper() {
		return this.keeper;
	}

	RegistryContext context() {
		return this.context;
	}

	QueueCache queues() {
		return this.queues;
	}

	Elections elections() {
		return this.elections;
	}

	/**
	 * Return the name by which this registry is known in its nodes and threads. No other
	 * one has it, unless it was given by the option {@code instance}.
	 * @return the instance's name
	 */
	public String instance() {
		return this.context.nodeData().instance();
	}

	/**
	 * Return this registry as one that is nothing else, for a framework that knows beans
	 * by their type.
	 * @return an object that gives the same locks and elections
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * Return the inspector of this registry as an object that is nothing else, for a
	 * framework that knows beans by their type.
	 * @return an object that shows the same locks and elections
	 */
	public LockInspector inspector() {
		return this.inspector;
	}

	/**
	 * Return how the session is. Sends nothing, opens nothing and never fails.
	 * @return the session's status now
	 */
	public SessionStatus session() {
		return this.keeper.status();
	}

	/**
	 * Return the current session, after waiting for its connection.
	 * @return the connected session
	 * @throws IllegalStateException if there is no connection within the connect timeout,
	 * if the registry is stopped or closed, or if interrupted while waiting, which leaves
	 * the interrupt set
	 */
	protected NodeSession awaitSession() {
		try {
			return this.keeper.awaitSession().nodeSession();
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
	}

	private IllegalStateException interrupted(InterruptedException ex) {
		Thread.currentThread().interrupt();
		return new IllegalStateException("Interrupted while waiting for " + this.keeper.place(), ex);
	}

	/**
	 * Return what is wrong with the rights on the nodes that all locks share.
	 * @return descriptions for people, empty if nothing is wrong
	 * @throws IllegalStateException if there is no connection or no answer within the
	 * connect timeout, if the registry is stopped or closed, or if interrupted while
	 * waiting, which leaves the interrupt set
	 */
	protected List<String> findAccessProblems() {
		try {
			return this.context.access().problems(this.keeper);
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
	}

	// Locks and elections

	@Override
	public NamedLock lock(String name) {
		return this.registry.lock(name);
	}

	@Override
	public NamedLock readLock(String name) {
		return this.registry.readLock(name);
	}

	@Override
	public NamedLock writeLock(String name) {
		return this.registry.writeLock(name);
	}

	@Override
	public LeaderElection election(String role) {
		return this.registry.election(role);
	}

	// For people to look at

	@Override
	public List<LockContender> queue(String name) {
		return this.inspector.queue(name);
	}

	@Override
	public List<LockContender> queueOfRole(String role) {
		return this.inspector.queueOfRole(role);
	}

	@Override
	public List<LockContender> queueOfSegment(String segment) {
		return this.inspector.queueOfSegment(segment);
	}

	@Override
	public List<LockContender> queueOfRoleSegment(String segment) {
		return this.inspector.queueOfRoleSegment(segment);
	}

	@Override
	public List<LocalLock> held() {
		return this.inspector.held();
	}

	@Override
	public List<LocalLock> waiting() {
		return this.inspector.waiting();
	}

	@Override
	public boolean breakLock(String name) {
		return this.inspector.breakLock(name);
	}

	@Override
	public boolean breakSegment(String segment) {
		return this.inspector.breakSegment(segment);
	}

	// Starting and stopping

	/**
	 * Take requests again after {@link #stop()}. A session is opened when somebody needs
	 * it. Has no effect if the registry is not stopped.
	 * @throws IllegalStateException if the registry is closed, or being stopped
	 */
	public void resume() {
		synchronized (this.transition) {
			switch (this.state) {
				case STOPPED -> {
					this.keeper.resume();
					this.state = State.OPEN;
				}
				case STOPPING -> throw new IllegalStateException("The registry is being stopped");
				case CLOSED -> throw new IllegalStateException("The registry is closed");
				default -> {
					// it takes requests already
				}
			}
		}
	}

	/**
	 * Take requests, as {@link #resume()} does, and open the connection now, without
	 * waiting for it. If the registry is closed, or being stopped, nothing is opened.
	 */
	public void start() {
		synchronized (this.transition) {
			if (this.state == State.STOPPED) {
				resume();
			}
		}
		this.keeper.start();
	}

	/**
	 * Refuse new requests, leave all roles, wait for those who hold a lock or work as a
	 * leader, take the locks and roles from those who still have them when the wait is
	 * over, free them all, and end the session. Listeners hear of the end of a leadership
	 * before the next one leads, as with {@link LeaderElection#leave()}. Has no effect if
	 * the registry is stopped or closed; if another thread is about to, that one is not
	 * waited for.
	 */
	public void stop() {
		synchronized (this.transition) {
			if (this.state != State.OPEN) {
				return;
			}
			this.state = State.STOPPING;
			this.keeper.refuse(Refusal.STOPPED);
		}
		try {
			endRun();
		}
		finally {
			if (hasStopped()) {
				// It was to be closed meanwhile
				endThreads();
			}
		}
	}

	/**
	 * Note that a run has ended.
	 * @return whether it was the last one
	 */
	private boolean hasStopped() {
		synchronized (this.transition) {
			if (this.state == State.STOPPING) {
				this.state = State.STOPPED;
			}
			return this.state == State.CLOSED;
		}
	}

	/**
	 * {@link #stop() Stop}, for good. A second call has no effect. If another thread is
	 * stopping the registry, that one closes it, and is not waited for.
	 */
	@Override
	public void close() {
		State before;
		synchronized (this.transition) {
			before = this.state;
			if (before == State.CLOSED) {
				return;
			}
			this.state = State.CLOSED;
			this.keeper.refuse(Refusal.CLOSED);
		}
		try {
			if (before == State.OPEN) {
				endRun();
			}
		}
		finally {
			if (before != State.STOPPING) {
				endThreads();
			}
		}
	}

	private void endThreads() {
		this.loop.close();
		this.keeper.shutdown().abandon();
		this.elections.forEach((candidacy) -> candidacy.departure().complete());
		EventLoop.attempt(this.context.lossLog()::write);
		this.users.close();
	}

	private void endRun() {
		boolean interrupted = Thread.interrupted();
		try {
			refuseWaiting();
			this.elections.forEach((candidacy) -> this.loop.endure(candidacy::leaveOnClose));
			boolean hurried = awaitHolders();
			this.keeper.dependents().forEach((dependent) -> this.loop.endure(dependent::takeAway));
			interrupted |= hurried || awaitListeners();
			this.elections.forEach((candidacy) -> this.loop.endure(candidacy.departure()::stopWaiting));
			interrupted |= this.keeper.shutdown().close();
		}
		finally {
			this.keeper.shutdown().end(() -> {
				refuseWaiting();
				this.context.emptyParents().clear();
			});
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void refuseWaiting() {
		this.queues.all().forEach((known) -> this.loop.endure(known::close));
	}

	/**
	 * Wait for all who hold a lock but the caller, who would wait for itself.
	 * @return whether an interrupt has ended the wait
	 */
	private boolean awaitHolders() {
		Thread caller = Thread.currentThread();
		try {
			this.keeper.await(
					() -> this.keeper.dependents().stream().noneMatch((dependent) -> dependent.isUsedByOther(caller)),
					Durations.toNanos(this.closeWait));
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	/**
	 * Wait until the listeners of all roles have heard that this process does not lead
	 * any more. For each role a timer ends that, too.
	 * @return whether an interrupt has ended the wait
	 */
	private boolean awaitListeners() {
		try {
			this.keeper.await(() -> !this.elections.areHandingOver(),
					Math.max(Durations.toNanos(this.handOverWait), LeaderDeparture.LEAST_NANOS_FOR_LISTENERS));
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

}
