package io.github.zklock.engine;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LocalLock;
import org.jspecify.annotations.Nullable;

/**
 * The local callers who share a node: those who wait, first in, first out, the one who
 * holds the lock, and the node that contends for it on their behalf. All who want the
 * whole lock are in one queue; a reader is alone in its own.
 *
 * <p>
 * Everything happens under this object's monitor, for moments only: ZooKeeper is called
 * without waiting, and users are never called.
 *
 * <p>
 * It is the one door to its parts, which change together: {@link Waiters} (who waits),
 * {@link QueueGrants} (who holds) and {@link QueueContention} (how the lock is got). It
 * is long because any event of the session, of a caller or of an operator may meet any of
 * them.
 */
final class LockQueue extends Dependent implements ContenderOwner {

	private final LockQueues family;

	private final Waiters waiters;

	private final QueueContention contention = new QueueContention(this);

	private final QueueGrants grants = new QueueGrants(this);

	// Of those who read
	private final LockQueues.@Nullable Reader reader;

	private LockQueue(LockQueues family, boolean reads) {
		this.family = family;
		this.waiters = new Waiters(family);
		this.reader = reads ? new LockQueues.Reader(this) : null;
	}

	/**
	 * Create the queue of all who want the whole lock.
	 */
	static LockQueue exclusive(LockQueues family) {
		return new LockQueue(family, false);
	}

	/**
	 * Create the queue of one reader.
	 */
	static LockQueue ofReader(LockQueues family) {
		return new LockQueue(family, true);
	}

	/**
	 * Return its place among the readers of the lock, null if it is for the whole lock.
	 */
	LockQueues.@Nullable Reader reader() {
		return this.reader;
	}

	String name() {
		return this.family.name();
	}

	@Override
	public LockPath path() {
		return this.family.path();
	}

	RegistryContext context() {
		return this.family.context();
	}

	private SessionKeeper keeper() {
		return context().keeper();
	}

	Waiters waiters() {
		return this.waiters;
	}

	QueueContention contention() {
		return this.contention;
	}

	QueueGrants grants() {
		return this.grants;
	}

	EventLoop loop() {
		return keeper().loop();
	}

	/**
	 * Pass a place at which tests let errors happen.
	 */
	void pass(String place) {
		keeper().loop().pass(place);
	}

	/**
	 * Return what somebody here holds.
	 */
	synchronized Optional<LocalLock> held(ClockReading now) {
		return Optional.ofNullable(this.grants.hold()).filter(Hold::isHeld).map((hold) -> hold.describe(now));
	}

	/**
	 * Return what somebody here waits for, one for each who does.
	 */
	synchronized List<LocalLock> awaited(ClockReading now) {
		return this.waiters.all()
			.stream()
			.map((request) -> request.describe(name(), request.deadline().start(), now))
			.toList();
	}

	// Asking

	/**
	 * Take a request. It is decided now or later.
	 */
	void add(Request request) {
		if (!request.deadline().mayQueue() && !keeper().isClosed() && this.family.isTaken(this)) {
			request.decide(Request.Outcome.REFUSED);
			return;
		}
		pass("enter");
		enqueue(request);
	}

	private synchronized void enqueue(Request request) {
		// First, since it may leave a queue in which nobody waits
		this.grants.loseIfUncovered();
		// From here on, whatever is thrown, it is found
		keeper().activate(this);
		this.family.entered(this);
		Request.Outcome outcome = this.waiters.outcomeAtOnce(request, this.grants.isHolding());
		if (request.outcome() != null || outcome != null) {
			if (outcome != null) {
				request.decide(outcome);
			}
			releaseIfNobodyWaits();
			return;
		}
		pass("enqueue");
		this.waiters.add(request);
		pass("enqueued");
		if (request.deadline().mayQueue()) {
			this.contention.contend();
		}
		else {
			this.contention.contendWithoutWaiting();
		}
		// Others may have been told just before this one came
		if (!request.deadline().isEndless() && keeper().reachability().isUnreachable()) {
			unreachable();
		}
	}

	/**
	 * Return whether the lock is held or awaited here, as far as is known.
	 */
	synchronized boolean isWanted() {
		return isHeld() || (!this.waiters.isEmpty() && !this.waiters.hasFallenSilent());
	}

	synchronized boolean isHeld() {
		return this.grants.isHeld();
	}

	/**
	 * Take back a request that has left.
	 * @return whether it left because others have the lock; otherwise ZooKeeper could not
	 * be asked
	 */
	boolean remove(Request request) {
		return removeHere(request) || this.family.isHeld(this);
	}

	private synchronized boolean removeHere(Request request) {
		boolean others = isContended(request);
		if (this.waiters.remove(request)) {
			releaseIfNobodyWaits();
		}
		return others;
	}

	/**
	 * Return whether a request that is out of time has got no lock because others have
	 * it. What ZooKeeper has said of others counts only while it goes on talking.
	 */
	boolean isContended(Request request) {
		if (this.grants.isHeld()) {
			return true;
		}
		if (this.waiters.isSilent()) {
			return false;
		}
		return this.contention.isBehindOthers() || this.waiters.wereContended(request);
	}

	private void releaseIfNobodyWaits() {
		if (this.waiters.isEmpty()) {
			this.contention.releaseIfIdle();
		}
	}

	/**
	 * Nobody here holds the lock, waits for it, or contends.
	 */
	void idle() {
		this.family.left(this);
		// At last: nobody repairs what is not active
		keeper().deactivate(this);
	}

	@Override
	public void parentMade(Contender maker) {
		context().emptyParents().made(maker.session(), path());
	}

	/**
	 * Return whether anybody here holds the lock or waits for it, or a node may be left.
	 */
	synchronized boolean isInUse() {
		return this.grants.isHolding() || this.contention.contender() != null || !this.waiters.isEmpty();
	}

	// Granting

	@Override
	public void created(Contender created, boolean rootWasMissing) {
		this.family.created(created.session(), rootWasMissing);
	}

	@Override
	public void granted(Contender granted) {
		if (isCurrent(granted)) {
			this.grants.handOverOrRelease();
		}
	}

	private boolean isCurrent(Contender telling) {
		return telling == this.contention.contender();
	}

	@Override
	public void queued(Contender queued) {
		if (isCurrent(queued)) {
			this.waiters.noteContention();
			this.waiters.refuseImpatient((request) -> true);
			releaseIfNobodyWaits();
		}
	}

	@Override
	public void rivalsChanged(Contender changed) {
		if (!isCurrent(changed)) {
			return;
		}
		if (!this.grants.isHolding()) {
			this.grants.handOverOrRelease();
		}
		else if (!this.waiters.isEmpty()) {
			changed.askForRivals();
		}
	}

	// Releasing and losing

	/**
	 * Free the lock, if the given hold is the current one.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	synchronized CompletableFuture<Void> release(Hold released) {
		return this.grants.release(released);
	}

	/**
	 * Keep the lock for nobody, for some time.
	 */
	synchronized CompletableFuture<Void> linger(Hold closed, long nanos) {
		return this.grants.linger(closed, nanos);
	}

	/**
	 * Return whether a hold is the current one.
	 */
	synchronized boolean isCurrent(Hold asking) {
		return this.grants.hold() == asking;
	}

	/**
	 * Take the lock away from a hold.
	 * @param loss why
	 */
	synchronized void lose(Hold lost, Loss loss) {
		this.grants.lose(lost, loss);
	}

	@Override
	synchronized void leaseEnded(Session session, int term) {
		Contender contender = this.contention.contender();
		if (contender == null || contender.session() != session || !contender.isGranted()) {
			return;
		}
		Hold present = this.grants.hold();
		if (present == null) {
			this.grants.handOverOrRelease();
		}
		else if (present.term() <= term) {
			this.grants.lose(present, session.loss(term));
		}
	}

	@Override
	public void vanished(Contender vanished) {
		if (isCurrent(vanished)) {
			this.contention.contenderEnded();
			this.grants.loseWithNode(vanished.node().loss());
			this.contention.pauseIfRepeated();
			this.contention.contendOrRelease();
		}
	}

	@Override
	public void abandoned(Contender abandoned) {
		if (isCurrent(abandoned)) {
			this.contention.contenderEnded();
			this.contention.contendOrRelease();
		}
	}

	@Override
	public void failed(Contender failed, Failure failure) {
		if (isCurrent(failed)) {
			this.contention.contenderEnded();
			this.grants.loseWithNode(Loss.of(failure));
			failAll(failure);
		}
	}

	private void failAll(Failure failure) {
		this.waiters.failAll(failure);
		releaseIfNobodyWaits();
	}

	// The session's fate

	@Override
	synchronized void connected(Session session) {
		Contender present = this.contention.contender();
		if (present != null) {
			present.reconnected();
		}
		if (this.waiters.isEmpty()) {
			return;
		}
		List<Request> waiting = this.waiters.all();
		List<Request> impatient = waiting.stream().filter((request) -> !request.deadline().mayQueue()).toList();
		if (!impatient.isEmpty()) {
			keeper().loop().schedule(() -> answerOverdue(impatient), context().answerNanos());
		}
		if (impatient.size() == waiting.size()) {
			this.contention.contendWithoutWaiting();
		}
		else {
			this.contention.contend();
		}
	}

	/**
	 * Requests that do not wait have been waiting for an answer since the first
	 * connection.
	 */
	private void answerOverdue(List<Request> requests) {
		boolean held = this.family.isHeld(this);
		synchronized (this) {
			for (Request request : requests) {
				if (this.waiters.contains(request)) {
					this.waiters.endLate(request, held || isContended(request));
				}
			}
			releaseIfNobodyWaits();
		}
	}

	@Override
	synchronized void unreachable() {
		if (this.waiters.isEmpty()) {
			this.contention.releaseIfIdle();
			return;
		}
		this.waiters.failTimed(keeper().reachability().notConnected());
		releaseIfNobodyWaits();
	}

	@Override
	synchronized void disconnected() {
		this.contention.disconnected();
		this.waiters.forgetContention();
		if (this.waiters.isEmpty()) {
			// Thousands may be held, and the others wait for this to be over
			this.contention.releaseIfIdle();
		}
		else {
			this.waiters.failImpatient(keeper().reachability().notConnected());
			releaseIfNobodyWaits();
		}
	}

	@Override
	synchronized void sessionEnded(Session session, Loss loss) {
		this.waiters.forgetContention();
		if (this.contention.sessionEnded(session)) {
			this.grants.loseWithNode(loss);
		}
		if (SessionKeeper.isRefusal(loss)) {
			failAll(Refusal.CREDENTIALS);
		}
		else {
			this.contention.contendOrRelease();
		}
	}

	@Override
	synchronized void tick() {
		this.grants.loseIfUncovered();
		Contender present = this.contention.contender();
		if (present != null) {
			present.watchOwnNode();
		}
	}

	@Override
	synchronized void repair() {
		new LockQueueRepair(this).repair();
	}

	// The end

	/**
	 * Refuse everybody who waits, and let go of what is kept for nobody.
	 */
	synchronized void close() {
		failAll(keeper().refusal());
		this.grants.endLingering();
	}

	@Override
	synchronized boolean isUsedByOther(Thread thread) {
		Hold present = this.grants.hold();
		return present != null && present.owner() != thread;
	}

	/**
	 * Give a node up that is about to be deleted, and take the lock away from whoever
	 * holds it by that node.
	 */
	synchronized void takeAway(String node) {
		Contender present = this.contention.contender();
		if (present == null || !present.node().hasName(node)) {
			return;
		}
		Hold held = this.grants.hold();
		if (held != null) {
			this.grants.lose(held, Loss.BROKEN);
		}
		else {
			this.contention.requeue(present);
		}
	}

	@Override
	synchronized void takeAway() {
		Hold present = this.grants.hold();
		if (present != null) {
			this.grants.lose(present, Loss.CLOSED);
		}
	}

}
