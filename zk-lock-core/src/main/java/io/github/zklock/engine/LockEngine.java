package io.github.zklock.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
 */
public abstract class LockEngine implements LockRegistry, LockInspector, AutoCloseable {

	private static final String LOCKS = "locks";

	private static final String LEADERS = "leaders";

	private final String root;

	private final Duration closeWait;

	private final Duration handOverWait;

	private final NodeKind writeKind;

	private final UserThreads users;

	private final EventLoop loop;

	private final SessionKeeper keeper;

	private final Services services;

	private final QueueCache queues = new QueueCache();

	private final Elections elections = new Elections();

	private final QueueReader reader;

	/**
	 * Create a registry. It opens no session yet.
	 * @param store where the nodes are
	 * @param settings how it behaves
	 */
	protected LockEngine(NodeStore store, EngineSettings settings) {
		NodeData nodeData = new NodeData(settings.instance);
		String threadName = "zk-lock-" + LockNames.shown(nodeData.instance());
		this.root = settings.root;
		this.closeWait = settings.closeWait;
		this.handOverWait = settings.handOverWait;
		this.writeKind = settings.curatorReadWrite ? NodeKind.CURATOR_WRITE : NodeKind.LOCK;
		this.loop = new EventLoop(threadName, settings.faults, store.isLocal());
		this.users = new UserThreads(threadName, this.loop, settings.userExecutor);
		Listeners listeners = new Listeners(List.copyOf(settings.listeners), this.users);
		this.keeper = new SessionKeeper(settings.sessions(store), this.loop, this.users.own(), listeners);
		this.services = new Services(this.keeper, settings.contenders(), nodeData, this.users, listeners,
				new LossLog(this.loop, this.users.own()::executeSoon), new ThreadHolds(),
				Durations.toNanos(settings.answerTimeout),
				new EmptyParents(this.keeper, this.queues::isInUse, Durations.toNanos(settings.parentIdle)),
				new AccessCheck(this.root, List.of(LOCKS, LEADERS), store.isOpen(), settings.createRoot,
						this.users.own()));
		this.keeper.onNewSession(this.services.access()::connected);
		this.keeper.atEachTick(this::keepHouse);
		this.reader = new QueueReader(this.keeper, nodeData);
	}

	private void keepHouse() {
		this.services.threadHolds().purge();
		this.users.own().attend();
	}

	/**
	 * Return the name by which this registry is known in its nodes and threads. No other
	 * one has it, unless it was given by the option {@code instance}.
	 * @return the instance's name
	 */
	public String instance() {
		return this.services.nodeData().instance();
	}

	SessionKeeper keeper() {
		return this.keeper;
	}

	Services services() {
		return this.services;
	}

	QueueCache queues() {
		return this.queues;
	}

	Elections elections() {
		return this.elections;
	}

	/**
	 * Open the connection now, without waiting for it.
	 */
	public void start() {
		this.keeper.start();
	}

	/**
	 * Return the current session, after waiting for its connection.
	 * @return the connected session
	 * @throws IllegalStateException if there is no connection within the connect timeout,
	 * if the registry is closed, or if interrupted while waiting, which leaves the
	 * interrupt set
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
	 * Return how the session is. Sends nothing, opens nothing and never fails.
	 * @return the session's status now
	 */
	public SessionStatus session() {
		return this.keeper.status();
	}

	/**
	 * Return what is wrong with the rights on the nodes that all locks share.
	 * @return descriptions for people, empty if nothing is wrong
	 * @throws IllegalStateException if there is no connection or no answer within the
	 * connect timeout, if the registry is closed, or if interrupted while waiting, which
	 * leaves the interrupt set
	 */
	protected List<String> findAccessProblems() {
		try {
			return this.services.access().problems(this.keeper);
		}
		catch (InterruptedException ex) {
			throw interrupted(ex);
		}
	}

	@Override
	public NamedLock lock(String name) {
		return new LockHandle(queues(name), NodeKind.LOCK);
	}

	@Override
	public NamedLock readLock(String name) {
		return new LockHandle(queues(name), NodeKind.READ);
	}

	@Override
	public NamedLock writeLock(String name) {
		return new LockHandle(queues(name), this.writeKind);
	}

	private LockQueues queues(String name) {
		Objects.requireNonNull(name, "A lock's name must not be null");
		return this.queues.get(name, (key) -> new LockQueues(LockPath.of(this.root, LOCKS, key), this.services));
	}

	@Override
	public LeaderElection election(String role) {
		Objects.requireNonNull(role, "A role must not be null");
		return this.elections.get(role, (key) -> new ElectionHandle(this.elections,
				LockPath.of(this.root, LEADERS, key), this.services, this.reader, this.handOverWait));
	}

	// For people to look at

	@Override
	public List<LockContender> queue(String name) {
		return this.reader.read(LockPath.of(this.root, LOCKS, name));
	}

	@Override
	public List<LockContender> queueOfRole(String role) {
		return this.reader.read(LockPath.of(this.root, LEADERS, role));
	}

	@Override
	public List<LockContender> queueOfSegment(String segment) {
		return this.reader.read(LockPath.ofSegment(this.root, LOCKS, segment));
	}

	@Override
	public List<LockContender> queueOfRoleSegment(String segment) {
		return this.reader.read(LockPath.ofSegment(this.root, LEADERS, segment));
	}

	@Override
	public List<LocalLock> held() {
		return oldestFirst(lockQueues().map(LockQueue::held).flatMap(Optional::stream));
	}

	@Override
	public List<LocalLock> waiting() {
		return oldestFirst(lockQueues().map(LockQueue::awaited).flatMap(List::stream));
	}

	private Stream<LockQueue> lockQueues() {
		return this.keeper.dependents().stream().filter(LockQueue.class::isInstance).map(LockQueue.class::cast);
	}

	private static List<LocalLock> oldestFirst(Stream<LocalLock> locks) {
		return locks.sorted(Comparator.comparing(LocalLock::since)).toList();
	}

	@Override
	public boolean breakLock(String name) {
		LockQueues broken = queues(name);
		return breakLock(broken.path(), broken::takeAway);
	}

	@Override
	public boolean breakSegment(String segment) {
		LockPath path = LockPath.ofSegment(this.root, LOCKS, segment);
		return breakLock(path,
				(node) -> this.queues.all()
					.filter((known) -> known.path().parent().equals(path.parent()))
					.forEach((known) -> known.takeAway(node)));
	}

	private boolean breakLock(LockPath path, Consumer<String> takeAway) {
		List<LockContender> holders = this.reader.readFront(path);
		for (LockContender holder : holders) {
			if (holder.origin() == LockContender.Origin.SELF) {
				takeAway.accept(holder.node());
			}
			this.reader.delete(path, holder.node());
		}
		return !holders.isEmpty();
	}

	// The end

	/**
	 * Refuse new requests, leave all roles, wait for those who hold a lock or work as a
	 * leader, take the locks and roles from those who still have them when the wait is
	 * over, free them all, and end the session. Listeners hear of the end of a leadership
	 * before the next one leads, as with {@link LeaderElection#leave()}. A second call
	 * has no effect.
	 */
	@Override
	public void close() {
		if (!this.keeper.refuse()) {
			return;
		}
		boolean interrupted = Thread.interrupted();
		try {
			this.queues.all().forEach(LockQueues::close);
			this.elections.forEach(Candidacy::windUp);
			boolean hurried = awaitHolders();
			this.keeper.dependents().forEach((dependent) -> EventLoop.attempt(dependent::takeAway));
			interrupted |= hurried || awaitListeners();
			this.elections.forEach(Candidacy::hurry);
			interrupted |= this.keeper.close();
		}
		finally {
			this.loop.close();
			this.services.emptyParents().clear();
			this.keeper.finish();
			this.elections.forEach(Candidacy::finish);
			EventLoop.attempt(this.services.lossLog()::write);
			this.users.close();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
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
					Math.max(Durations.toNanos(this.handOverWait), Candidacy.LEAST_NANOS_FOR_LISTENERS));
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

}
