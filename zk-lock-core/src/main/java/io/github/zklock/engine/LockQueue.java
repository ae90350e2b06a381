package io.github.zklock.engine;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.github.zklock.LocalLock;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.ReturnCode.Meaning;
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
 * It is by far the longest class. Who waits, who holds and who contends change together
 * under the one monitor, and any event of the session, of a caller or of an operator may
 * meet any of them; {@link Waiters}, {@link ZeroWaitProbe}, {@link Hold} and
 * {@link Contender} have what each does by itself.
 */
final class LockQueue implements ContenderOwner, Dependent {

	private final LockQueues family;

	private final LockPath path;

	private final RegistryContext services;

	private final SessionKeeper keeper;

	private final Waiters waiters;

	private @Nullable Contender contender;

	private boolean contenderWasHeld;

	// Its delete goes out in the flight of the next create
	private @Nullable Contender replaced;

	private @Nullable Hold hold;

	private LoopThread.@Nullable Timer lingering;

	private @Nullable ZeroWaitProbe probe;

	// Since the lock was granted last
	private @Nullable VanishedNodes vanished;

	private boolean pausing;

	LockQueue(LockQueues family, LockPath path, RegistryContext services) {
		this.family = family;
		this.path = path;
		this.services = services;
		this.keeper = services.keeper();
		this.waiters = new Waiters(path, services);
	}

	String name() {
		return this.path.name();
	}

	@Override
	public LockPath path() {
		return this.path;
	}

	RegistryContext services() {
		return this.services;
	}

	Waiters waiters() {
		return this.waiters;
	}

	EventLoop loop() {
		return this.keeper.loop();
	}

	Platform platform() {
		return this.keeper.loop().platform();
	}

	/**
	 * Pass a place at which tests let errors happen.
	 */
	void pass(String place) {
		this.keeper.loop().pass(place);
	}

	/**
	 * Something here may be half done.
	 */
	void troubled() {
		this.keeper.loop().troubled = true;
	}

	CallbackThreads users() {
		return this.services.users();
	}

	Listeners listeners() {
		return this.services.listeners();
	}

	LossLog lossLog() {
		return this.services.lossLog();
	}

	ThreadHolds threadHolds() {
		return this.services.threadHolds();
	}

	/**
	 * Return what somebody here holds.
	 */
	synchronized Optional<LocalLock> held() {
		return Optional.ofNullable(this.hold).filter(Hold::isHeld).map(Hold::describe);
	}

	/**
	 * Return what somebody here waits for, one for each who does.
	 */
	synchronized List<LocalLock> awaited() {
		return this.waiters.all()
			.stream()
			.map((request) -> request.describe(name(), request.deadline().waited()))
			.toList();
	}

	// Asking

	/**
	 * Take a request. It is decided now or later.
	 */
	void add(Request request) {
		if (!request.deadline().mayQueue() && !this.keeper.isClosed() && this.family.isTaken(this)) {
			request.decide(Request.Outcome.REFUSED);
			return;
		}
		// From here on, whatever is thrown, it is found
		this.keeper.activate(this);
		this.family.entered(this);
		enqueue(request);
	}

	private synchronized void enqueue(Request request) {
		loseIfUncovered();
		Request.Outcome outcome = decideAtOnce(request);
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
		if (request.deadline().mayQueue() || this.contender != null) {
			contendForWaiters();
		}
		else {
			probe();
		}
		// Others may have been told just before this one came
		if (!request.deadline().isEndless() && this.keeper.reachability().isUnreachable()) {
			unreachable();
		}
	}

	/**
	 * Return how the wait of a new request ends before it begins, if it does.
	 */
	private Request.@Nullable Outcome decideAtOnce(Request request) {
		if (this.keeper.isClosed()) {
			return this.waiters.failed(this.keeper.refusal());
		}
		if (request.deadline().isEndless()) {
			return null;
		}
		boolean patient = request.deadline().mayQueue();
		if (this.hold != null && !patient) {
			return Request.Outcome.REFUSED;
		}
		if (this.keeper.reachability().isUnreachable()
				|| (this.keeper.reachability().hasLostConnection() && !patient)) {
			this.keeper.start();
			return this.waiters.failed(this.keeper.reachability().notConnected());
		}
		if (patient || this.waiters.isEmpty()) {
			return null;
		}
		return this.waiters.hasFallenSilent()
				? this.waiters.failed(this.keeper.reachability().unanswered(request.deadline()))
				: Request.Outcome.REFUSED;
	}

	/**
	 * Return whether the lock is held or awaited here, as far as is known.
	 */
	synchronized boolean isWanted() {
		return isHeld() || (!this.waiters.isEmpty() && !this.waiters.hasFallenSilent());
	}

	synchronized boolean isHeld() {
		return this.hold != null && this.hold.isCovered();
	}

	/**
	 * Take the next step for those who wait.
	 */
	private void contendForWaiters() {
		this.keeper.activate(this);
		if (this.probe != null || this.pausing) {
			return;
		}
		Contender present = this.contender;
		if (present == null) {
			Session session = this.keeper.connectedSession();
			if (session != null) {
				startContender(session);
			}
		}
		else if (present.isBroken()) {
			requeue(present);
		}
		else {
			present.adopt();
			present.askForRivals();
		}
	}

	private void startContender(Session session) {
		Request next = this.waiters.first();
		Contender started = new Contender(this.services.settings(), session, this.path, next.kind(), this,
				this.services.nodeData().of(next.caller()));
		this.contender = started;
		this.contenderWasHeld = false;
		if (this.replaced != null) {
			started.startInPlaceOf(this.replaced);
		}
		else {
			started.start();
		}
	}

	/**
	 * Look whether the lock is free before writing anything, for a request that does not
	 * want to wait.
	 */
	private void probe() {
		this.keeper.activate(this);
		Session session = this.keeper.connectedSession();
		if (session == null) {
			return;
		}
		ZeroWaitProbe sent = new ZeroWaitProbe(this, session);
		sent.send();
		this.probe = sent;
	}

	/**
	 * A probe is answered.
	 * @return false if its answer does not count any more
	 */
	boolean endProbe(ZeroWaitProbe answered) {
		boolean current = this.probe == answered;
		if (current) {
			this.probe = null;
		}
		return current;
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
	private boolean isContended(Request request) {
		if (isHeld()) {
			return true;
		}
		if (this.waiters.isSilent()) {
			return false;
		}
		Contender present = this.contender;
		boolean behindOthers = present != null && present.isBehindOthers()
				&& present.session().lease().currentTerm() != Lease.NONE;
		return behindOthers || this.waiters.wereContended(request);
	}

	private void releaseIfNobodyWaits() {
		if (this.waiters.isEmpty()) {
			releaseIfIdle();
		}
	}

	/**
	 * Nobody waits: let go of what nobody has.
	 */
	private void releaseIfIdle() {
		Contender present = this.contender;
		if (this.hold == null && present != null
				&& (this.keeper.isClosed() ? present.abandon() : present.abandonWhenConnected())) {
			this.contender = null;
		}
		if (this.hold == null && this.contender == null) {
			this.probe = null;
			this.keeper.deactivate(this);
			this.family.left(this);
		}
	}

	@Override
	public void parentMade(Contender maker) {
		this.services.emptyParents().made(maker.session(), this.path);
	}

	/**
	 * Return whether anybody here holds the lock or waits for it, or a node may be left.
	 */
	synchronized boolean isInUse() {
		return this.hold != null || this.contender != null || !this.waiters.isEmpty();
	}

	// Granting

	@Override
	public void created(Contender created, boolean rootWasMissing) {
		this.family.created(created.session(), rootWasMissing);
	}

	@Override
	public void granted(Contender granted) {
		if (granted == this.contender) {
			handOverOrRelease();
		}
	}

	/**
	 * Decide who gets the lock that nobody holds.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	private CompletableFuture<Void> handOverOrRelease() {
		Contender present = this.contender;
		if (present == null) {
			return done();
		}
		int term = present.session().lease().currentTerm();
		if (term == Lease.NONE || this.waiters.isEmpty() || present.isBroken()) {
			return requeue(present);
		}
		if (!this.contenderWasHeld) {
			return grantNext(present, term);
		}
		return switch (present.node().rivals()) {
			case NONE -> grantNext(present, term);
			case WAITING -> requeue(present);
			case UNKNOWN -> {
				present.askForRivals();
				yield done();
			}
		};
	}

	private CompletableFuture<Void> grantNext(Contender present, int term) {
		while (!this.waiters.isEmpty() && this.waiters.first().kind() == present.kind()) {
			Request request = this.waiters.first();
			if (request.deadline().isOver()) {
				this.waiters.endLate(request, isContended(request));
				continue;
			}
			Hold granted = new Hold(this, present, term, !this.contenderWasHeld, request);
			this.hold = granted;
			pass("grant");
			boolean taken = Waiters.decide(request, Request.Outcome.granted(granted));
			this.waiters.remove(request);
			if (taken) {
				this.contenderWasHeld = true;
				this.vanished = null;
				this.waiters.noteContention();
				if (!this.waiters.isEmpty()) {
					present.askForRivals();
				}
				return done();
			}
			this.hold = null;
		}
		return requeue(present);
	}

	/**
	 * Give the node up and, in the same flight, queue a new one for those who wait.
	 */
	private CompletableFuture<Void> requeue(Contender present) {
		pass("start over");
		present.adopt();
		CompletableFuture<Void> deleted = present.release();
		this.contender = null;
		this.replaced = present;
		try {
			contendOrRelease();
		}
		finally {
			this.replaced = null;
		}
		return deleted;
	}

	/**
	 * Take the next step after something has ended.
	 */
	void contendOrRelease() {
		if (this.waiters.isEmpty()) {
			releaseIfIdle();
		}
		else {
			contendForWaiters();
		}
	}

	private static CompletableFuture<Void> done() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void queued(Contender queued) {
		if (queued == this.contender) {
			this.waiters.noteContention();
			this.waiters.refuseImpatient((request) -> true);
			releaseIfNobodyWaits();
		}
	}

	@Override
	public void rivalsChanged(Contender changed) {
		if (changed != this.contender) {
			return;
		}
		if (this.hold == null) {
			handOverOrRelease();
		}
		else if (!this.waiters.isEmpty()) {
			changed.askForRivals();
		}
	}

	// Releasing

	/**
	 * Free the lock, if the given hold is the current one.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	synchronized CompletableFuture<Void> release(Hold released) {
		if (this.hold != released) {
			return done();
		}
		pass("release");
		dropHold();
		this.waiters.noteContention();
		return handOverOrRelease();
	}

	/**
	 * Keep the lock for nobody, for some time.
	 */
	synchronized CompletableFuture<Void> linger(Hold closed, long nanos) {
		if (this.keeper.isClosed()) {
			return release(closed);
		}
		if (this.hold == closed) {
			this.lingering = this.keeper.loop().schedule(() -> release(closed), nanos);
		}
		return done();
	}

	private void dropHold() {
		this.hold = null;
		if (this.lingering != null) {
			this.lingering.cancel();
			this.lingering = null;
		}
	}

	/**
	 * Say why a token cannot be had.
	 */
	LockUnavailableException noToken(@Nullable Throwable cause) {
		return new Failure(UnavailableReason.REFUSED, "it refuses to write the fencing token: " + Refusal.RECIPE, cause)
			.ofLock(name(), this.keeper.place());
	}

	private synchronized boolean isCurrent(Hold asking) {
		return this.hold == asking;
	}

	synchronized void requestToken(Hold asking, CompletableFuture<Long> token) {
		Contender present = asking.contender();
		if (this.hold != asking) {
			token.completeExceptionally(asking.lost());
		}
		else if (asking.isFirst() && present.node().czxidIsToken()) {
			token.complete(present.node().czxid());
		}
		else {
			byte[] data = this.services.nodeData().of(asking.request().caller());
			present.node().writeToken(data, () -> isCurrent(asking), token);
		}
	}

	// Losing

	/**
	 * Take the lock away from a hold.
	 * @param loss why
	 */
	synchronized void lose(Hold lost, Loss loss) {
		pass("lose");
		lost.lose(loss);
		if (this.hold == lost) {
			dropHold();
			requeue(lost.contender());
		}
	}

	private void loseIfUncovered() {
		if (this.hold != null && !this.hold.isCovered()) {
			lose(this.hold, this.hold.whyUncovered());
		}
	}

	@Override
	public synchronized void leaseEnded(Session session, int term) {
		Contender present = this.contender;
		if (present == null || present.session() != session || !present.isGranted()) {
			return;
		}
		if (this.hold == null) {
			handOverOrRelease();
		}
		else if (this.hold.term() <= term) {
			lose(this.hold, session.loss(term));
		}
	}

	@Override
	public void vanished(Contender vanished) {
		if (vanished == this.contender) {
			this.contender = null;
			loseHold(vanished.node().loss());
			pause(vanished().pause());
			contendOrRelease();
		}
	}

	private VanishedNodes vanished() {
		VanishedNodes present = this.vanished;
		if (present == null) {
			present = new VanishedNodes(platform(), this.path);
			this.vanished = present;
		}
		return present;
	}

	private void pause(long nanos) {
		if (nanos > 0) {
			this.keeper.loop().schedule(this::endPause, nanos);
			this.pausing = true;
		}
	}

	private synchronized void endPause() {
		this.pausing = false;
		contendOrRelease();
	}

	private void loseHold(Loss loss) {
		Hold lost = this.hold;
		if (lost != null) {
			lost.lose(loss);
			dropHold();
		}
	}

	@Override
	public void abandoned(Contender abandoned) {
		if (abandoned == this.contender) {
			this.contender = null;
			contendOrRelease();
		}
	}

	@Override
	public void failed(Contender failed, Failure failure) {
		if (failed == this.contender) {
			this.contender = null;
			loseHold(Loss.of(failure));
			failAll(failure);
		}
	}

	private void failAll(Failure failure) {
		this.waiters.failAll(failure);
		releaseIfNobodyWaits();
	}

	// The session's fate

	@Override
	public synchronized void connected(Session session) {
		Contender present = this.contender;
		if (present != null) {
			present.reconnected();
		}
		if (this.waiters.isEmpty()) {
			return;
		}
		List<Request> waiting = this.waiters.all();
		List<Request> impatient = waiting.stream().filter((request) -> !request.deadline().mayQueue()).toList();
		if (!impatient.isEmpty()) {
			this.keeper.loop().schedule(() -> answerOverdue(impatient), this.services.answerNanos());
		}
		boolean impatientOnly = impatient.size() == waiting.size();
		if (present == null && impatientOnly && this.probe == null) {
			probe();
		}
		else {
			contendForWaiters();
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
				if (request.waiting) {
					this.waiters.endLate(request, held || isContended(request));
				}
			}
			releaseIfNobodyWaits();
		}
	}

	@Override
	public synchronized void unreachable() {
		if (this.waiters.isEmpty()) {
			releaseIfIdle();
			return;
		}
		this.waiters.failTimed(this.keeper.reachability().notConnected());
		releaseIfNobodyWaits();
	}

	@Override
	public synchronized void disconnected() {
		if (this.contender != null) {
			this.contender.node().disconnected();
		}
		this.probe = null;
		this.waiters.forgetContention();
		if (this.waiters.isEmpty()) {
			// Thousands may be held, and the others wait for this to be over
			releaseIfIdle();
		}
		else {
			this.waiters.failImpatient(this.keeper.reachability().notConnected());
			releaseIfNobodyWaits();
		}
	}

	@Override
	public synchronized void sessionEnded(Session session, Loss loss) {
		this.probe = null;
		this.waiters.forgetContention();
		Contender present = this.contender;
		if (present != null && present.session() == session) {
			present.end();
			this.contender = null;
			loseHold(loss);
		}
		if (SessionKeeper.isRefusal(loss)) {
			failAll(Refusal.CREDENTIALS);
		}
		else {
			contendOrRelease();
		}
	}

	@Override
	public synchronized void tick() {
		loseIfUncovered();
		if (this.contender != null) {
			this.contender.watchOwnNode();
		}
	}

	// After an error

	@Override
	public synchronized void repair() {
		this.pausing = false;
		this.waiters.repair();
		Contender present = this.contender;
		if (present != null && present.isOver()) {
			present.end();
			this.contender = null;
		}
		// Before anything is deleted
		repairHold();
		present = this.contender;
		if (this.hold == null && present != null && (present.isGranted() || present.isBroken())) {
			handOverOrRelease();
		}
		else if (this.hold == null || !this.waiters.isEmpty()) {
			contendOrRelease();
		}
	}

	private void repairHold() {
		Hold present = this.hold;
		if (present == null) {
			return;
		}
		if (present.contender() != this.contender || present.contender().isBroken()) {
			loseHold(present.isCovered() ? Loss.INTERNAL_ERROR : present.whyUncovered());
		}
		else if (!present.isCovered()) {
			loseIfUncovered();
		}
		else if (!present.isDecided()) {
			dropHold();
		}
		else if (present.isClosed()) {
			repairClosed(present);
		}
		else if (present.request().forsaken) {
			present.takeBack();
		}
		else if (!present.isTold()) {
			present.request().tellAgain();
		}
	}

	private void repairClosed(Hold closed) {
		long nanos = closed.keptFor();
		if (nanos <= 0) {
			release(closed);
		}
		else if (this.lingering == null) {
			linger(closed, nanos);
		}
	}

	// The end

	/**
	 * Refuse everybody who waits, and let go of what is kept for nobody.
	 */
	synchronized void close() {
		failAll(this.keeper.refusal());
		if (this.lingering != null && this.hold != null) {
			release(this.hold);
		}
	}

	@Override
	public synchronized boolean isUsedByOther(Thread thread) {
		return this.hold != null && this.hold.owner() != thread;
	}

	/**
	 * Give a node up that is about to be deleted, and take the lock away from whoever
	 * holds it by that node.
	 */
	synchronized void takeAway(String node) {
		Contender present = this.contender;
		if (present == null || !present.node().hasName(node)) {
			return;
		}
		if (this.hold != null) {
			lose(this.hold, Loss.BROKEN);
		}
		else {
			requeue(present);
		}
	}

	@Override
	public synchronized void takeAway() {
		if (this.hold != null) {
			lose(this.hold, Loss.CLOSED);
		}
	}

}
