package io.github.zklock.engine;

import io.github.zklock.leader.LeadershipListener;
import org.jspecify.annotations.Nullable;

/**
 * The part that this process takes in one election: at most one node, and the leadership
 * that comes with it.
 *
 * <p>
 * The node is kept across disconnections as long as its session lives; otherwise every
 * network glitch would change the leader. A new node is created only after the old one is
 * known to be deleted: a leftover node at the head of the queue would block everybody,
 * this process included.
 *
 * <p>
 * Everything happens under this object's monitor, for moments only: ZooKeeper is called
 * without waiting, and users are never called. What an orderly end needs is in
 * {@link LeaderDeparture}, what others get to know in {@link LeadershipState}; whatever
 * may happen to the node and its session is here, since any of it may meet any other.
 */
final class Candidacy extends Dependent implements ContenderOwner {

	private final ElectionHandle election;

	private final Elections elections;

	private final LockPath path;

	private final RegistryContext context;

	private final SessionKeeper keeper;

	private final LeadershipListeners listeners;

	private final LeadershipState leadership;

	private final LeaderTasks tasks;

	private final LeaderDeparture departure;

	private final CandidacyRepair repair;

	private final VanishedNodes vanished;

	private boolean joined;

	private @Nullable Contender contender;

	private boolean pausing;

	private boolean nodeCreated;

	/**
	 * Create a candidacy that takes no part yet.
	 * @param election what callers see of it
	 * @param elections all elections of the registry
	 * @param path where the nodes are
	 * @param context what all share
	 * @param handOverNanos how long those who work as a leader or listen are waited for
	 * when it leaves
	 */
	Candidacy(ElectionHandle election, Elections elections, LockPath path, RegistryContext context,
			long handOverNanos) {
		this.election = election;
		this.elections = elections;
		this.path = path;
		this.context = context;
		this.keeper = context.keeper();
		this.listeners = new LeadershipListeners(context.users(), this::eventsDelivered);
		this.leadership = new LeadershipState(path.name(), this.keeper, this.listeners);
		this.tasks = new LeaderTasks(this, this.leadership, context.users());
		this.departure = new LeaderDeparture(this, this.leadership, this.listeners, this.keeper, handOverNanos);
		this.repair = new CandidacyRepair(this, this.leadership, this.departure);
		this.vanished = new VanishedNodes(platform(), path);
	}

	ElectionHandle election() {
		return this.election;
	}

	String role() {
		return this.path.name();
	}

	EventLoop loop() {
		return this.keeper.loop();
	}

	Platform platform() {
		return loop().platform();
	}

	@Override
	public LockPath path() {
		return this.path;
	}

	LeadershipState leadership() {
		return this.leadership;
	}

	LeaderTasks tasks() {
		return this.tasks;
	}

	LeaderDeparture departure() {
		return this.departure;
	}

	// Joining

	synchronized void join() {
		if (this.keeper.isClosed()) {
			throw this.keeper.refusal().ofRole(role(), this.keeper.place());
		}
		boolean before = this.joined;
		if (!before) {
			this.leadership.forgetRefusal();
		}
		this.joined = true;
		try {
			contend();
		}
		catch (Throwable ex) {
			this.joined = before;
			troubled();
			throw ex;
		}
	}

	/**
	 * Return whether nobody leads who is about to.
	 */
	synchronized boolean isSettled() {
		return this.leadership.term() != null || !this.joined || this.departure.isHandingOver() || this.pausing
				|| this.leadership.isRefused();
	}

	/**
	 * Contend for the role, if this process wants to take part and nothing is in the way.
	 */
	private synchronized void contend() {
		if (!this.joined || this.departure.isNodeLeft() || this.pausing) {
			return;
		}
		this.keeper.activate(this);
		if (this.contender != null && this.contender.isBroken()) {
			this.departure.discard(this.contender);
			return;
		}
		if (this.contender != null) {
			if (!this.departure.isEnding(this.contender)) {
				this.contender.adopt();
				this.departure.complete();
			}
			return;
		}
		Session session = this.keeper.connectedSession();
		if (session != null) {
			Contender started = new Contender(this.context.settings(), session, NodeKind.LOCK, this,
					this.context.nodeData().of(Thread.currentThread().getName()));
			this.contender = started;
			started.start(null);
		}
	}

	@Override
	public void created(Contender created, boolean rootWasMissing) {
		this.context.access().created(created.session(), this.path, rootWasMissing, !this.nodeCreated);
		this.nodeCreated = true;
	}

	@Override
	public void queued(Contender queued) {
		this.leadership.forgetRefusal();
	}

	// Leading

	@Override
	public void granted(Contender granted) {
		if (granted != this.contender) {
			return;
		}
		this.leadership.forgetRefusal();
		if (!this.joined) {
			this.departure.endTerm();
			return;
		}
		int leaseTerm = granted.session().lease().currentTerm();
		if (leaseTerm == Lease.NONE) {
			granted.confirm();
			return;
		}
		this.leadership.begin(granted, leaseTerm);
	}

	/**
	 * A task has ended.
	 */
	synchronized void ended(LeaderTask task) {
		try {
			LeaderTerm term = task.term();
			term.ended(task);
			if (term == this.leadership.term() && term.isDrained()) {
				this.departure.endTerm();
			}
			this.keeper.changed();
		}
		catch (Throwable ex) {
			troubled();
			throw ex;
		}
	}

	synchronized void addListener(LeadershipListener listener) {
		this.leadership.addListener(listener, this.joined);
		this.elections.keep(this, true);
	}

	synchronized void removeListener(LeadershipListener listener) {
		this.listeners.remove(listener);
		this.elections.keep(this, !this.listeners.isEmpty());
	}

	private void eventsDelivered() {
		this.departure.eventsDelivered();
	}

	// Leaving

	/**
	 * Take part no longer. A leader lets no more tasks begin, and gives up its leadership
	 * when all have ended but those of the current thread, or when it has waited for long
	 * enough.
	 */
	synchronized LeaveRequest leave() {
		this.joined = false;
		return this.departure.begin();
	}

	/**
	 * Give up the leadership as {@link #leave()} does, wait for that, and queue again
	 * behind all others.
	 * @param task what the current thread does, if it does something: then it has to be
	 * the same term of leadership, and is not waited for
	 * @return false if this process does not lead, or is leaving
	 */
	@SuppressWarnings("NamedLikeContextualKeyword") // as Leadership.yield
	boolean yield(@Nullable LeaderTask task) {
		LeaveRequest request = stepDown(task);
		if (request != null) {
			request.await();
		}
		return request != null;
	}

	private synchronized @Nullable LeaveRequest stepDown(@Nullable LeaderTask task) {
		LeaderTerm present = this.leadership.openTerm();
		if (present == null || (task != null && task.term() != present)) {
			return null;
		}
		if (task != null) {
			task.resign();
		}
		return this.departure.begin();
	}

	/**
	 * Take part no longer, since the registry is closed. Leadership ends as soon as no
	 * task is running; the caller waits for that.
	 */
	synchronized void leaveOnClose() {
		this.joined = false;
		this.departure.stopNewTasks();
	}

	@Override
	public void abandoned(Contender abandoned) {
		if (abandoned == this.contender) {
			this.departure.awaitDelete(abandoned);
		}
	}

	// Between the parts, under the monitor

	boolean isJoined() {
		return this.joined;
	}

	/**
	 * Return the present attempt, if there is one.
	 */
	@Nullable Contender contender() {
		return this.contender;
	}

	/**
	 * Have no attempt any more.
	 */
	void forgetContender() {
		this.contender = null;
	}

	/**
	 * Return whether there is an attempt that nobody wants any more.
	 */
	boolean isLeavingQueue() {
		return this.contender != null && !this.joined;
	}

	/**
	 * Take the next step after something has ended.
	 */
	void advance() {
		if (this.contender == null) {
			this.departure.contenderEnded();
			if (!this.departure.isNodeLeft()) {
				// Unless an error has prevented it, nobody leads without a node
				this.leadership.revoke(Loss.INTERNAL_ERROR);
				deactivateUnlessJoined();
			}
		}
		this.departure.completeIfLeft();
		contend();
	}

	private void deactivateUnlessJoined() {
		if (!this.joined) {
			// Nobody repairs what is not active
			this.listeners.deliverAgain();
			this.keeper.deactivate(this);
		}
	}

	// Losing

	@Override
	synchronized void leaseEnded(Session session, int term) {
		this.departure.leaseEnded(session, term);
		Contender present = this.contender;
		if (present == null || present.session() != session || !present.isGranted()) {
			return;
		}
		LeaderTerm current = this.leadership.term();
		if (current != null && current.leaseTerm() <= term) {
			this.leadership.revoke(session.loss(term));
		}
		if (this.leadership.term() != null) {
			return;
		}
		if (this.joined && !this.departure.isEnding(present)) {
			present.confirm();
		}
		else {
			this.departure.endTerm();
		}
	}

	@Override
	public void vanished(Contender vanished) {
		if (vanished == this.contender) {
			this.leadership.revoke(vanished.node().loss());
			this.contender = null;
			pause(this.vanished.pause());
			advance();
		}
		else {
			this.departure.vanished(vanished);
		}
	}

	private void pause(long nanos) {
		if (nanos > 0) {
			loop().schedule(this::endPause, nanos);
			this.pausing = true;
		}
	}

	@Override
	public void failed(Contender failed, Failure failure) {
		this.departure.failed(failed);
		if (failed != this.contender) {
			return;
		}
		this.leadership.revoke(Loss.of(failure));
		this.departure.awaitDelete(failed);
		tryAgainLater(failure);
	}

	private void tryAgainLater(Failure why) {
		this.leadership.refused(why.ofRole(role(), this.keeper.place()), this.joined);
		loop().backOff(this::endPause);
		this.pausing = true;
	}

	private synchronized void endPause() {
		this.pausing = false;
		contend();
	}

	// The session's fate

	@Override
	synchronized void connected(Session session) {
		this.leadership.resume();
		contend();
	}

	@Override
	synchronized void disconnected() {
		if (this.contender != null) {
			this.contender.node().disconnected();
		}
		this.leadership.suspend();
		this.departure.completeIfLeft();
	}

	@Override
	synchronized void sessionEnded(Session session, Loss loss) {
		this.departure.sessionEnded(session);
		Contender present = this.contender;
		if (present != null && present.session() == session) {
			this.leadership.revoke(loss);
			present.end();
			this.contender = null;
		}
		if (SessionKeeper.isRefusal(loss) && this.joined) {
			tryAgainLater(Refusal.CREDENTIALS);
		}
		advance();
	}

	@Override
	synchronized void tick() {
		if (this.contender != null) {
			this.contender.watchOwnNode();
		}
		if (this.leadership.term() != null) {
			this.vanished.reset();
		}
	}

	// After an error

	/**
	 * An error has thrown a caller out.
	 */
	void troubled() {
		loop().troubled = true;
	}

	@Override
	synchronized void repair() {
		this.pausing = false;
		this.listeners.deliverAgain();
		this.repair.repair();
		advance();
	}

	// The end

	@Override
	synchronized boolean isUsedByOther(Thread thread) {
		LeaderTerm present = this.leadership.term();
		return present != null && present.isUsedByOther(thread);
	}

	@Override
	synchronized void takeAway() {
		this.joined = false;
		this.departure.endTerm();
	}

}
