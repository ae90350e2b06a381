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
 */
final class LockQueue implements Contender.Owner, Dependent {

	private final LockQueues family;

	private final LockPath path;

	private final Services services;

	private final SessionKeeper keeper;

	private final Set<Request> waiting = new LinkedHashSet<>();

	private @Nullable Contender contender;

	private boolean contenderWasHeld;

	// Its delete goes out in the flight of the next create
	private @Nullable Contender replaced;

	private @Nullable Hold hold;

	private EventLoop.@Nullable Timer lingering;

	private boolean probing;

	private int probes;

	private long contendedAt;

	private boolean contended;

	private final VanishedNodes vanished;

	private boolean pausing;

	LockQueue(LockQueues family, LockPath path, Services services) {
		this.family = family;
		this.path = path;
		this.services = services;
		this.keeper = services.keeper();
		this.vanished = new VanishedNodes(path);
	}

	String name() {
		return this.path.name();
	}

	@Override
	public LockPath path() {
		return this.path;
	}

	EventLoop loop() {
		return this.keeper.loop();
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

	UserThreads users() {
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
		return this.waiting.stream().map((request) -> request.describe(name(), request.time().waited())).toList();
	}

	// Asking

	/**
	 * Take a request. It is decided now or later.
	 */
	void add(Request request) {
		if (!request.time().isPatient() && !this.keeper.isClosed() && this.family.isTaken(this)) {
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
			if (this.waiting.isEmpty()) {
				settle();
			}
			return;
		}
		pass("enqueue");
		this.waiting.add(request);
		pass("enqueued");
		if (request.time().isPatient() || this.contender != null) {
			proceed();
		}
		else {
			probe();
		}
		// Others may have been told just before this one came
		if (!request.time().isEndless() && this.keeper.isUnreachable()) {
			unreachable();
		}
	}

	/**
	 * Return how the wait of a new request ends before it begins, if it does.
	 */
	private Request.@Nullable Outcome decideAtOnce(Request request) {
		if (this.keeper.isClosed()) {
			return failed(this.keeper.refusal());
		}
		if (request.time().isEndless()) {
			return null;
		}
		boolean patient = request.time().isPatient();
		if (this.hold != null && !patient) {
			return Request.Outcome.REFUSED;
		}
		if (this.keeper.isUnreachable() || (this.keeper.hasLostConnection() && !patient)) {
			this.keeper.start();
			return failed(this.keeper.notConnected());
		}
		if (patient || this.waiting.isEmpty()) {
			return null;
		}
		return hasFallenSilent() ? failed(this.keeper.unanswered(request.time())) : Request.Outcome.REFUSED;
	}

	private Request.Outcome failed(Failure failure) {
		return Request.Outcome.failed(failure.ofLock(name(), this.keeper.place()));
	}

	/**
	 * Return whether ZooKeeper was there and says nothing now.
	 */
	private boolean hasFallenSilent() {
		return this.keeper.hasEverConnected() && this.keeper.isSilent(this.services.answerNanos());
	}

	/**
	 * Return whether the lock is held or awaited here, as far as is known.
	 */
	synchronized boolean isWanted() {
		return isHeld() || (!this.waiting.isEmpty() && !hasFallenSilent());
	}

	synchronized boolean isHeld() {
		return this.hold != null && this.hold.isCovered();
	}

	/**
	 * Take the next step for those who wait.
	 */
	private void proceed() {
		this.keeper.activate(this);
		if (this.probing || this.pausing) {
			return;
		}
		Contender present = this.contender;
		if (present == null) {
			Session session = this.keeper.connectedSession();
			if (session != null) {
				contend(session);
			}
		}
		else if (present.isBroken()) {
			startOver(present);
		}
		else {
			present.adopt();
			present.askForOthers();
		}
	}

	private void contend(Session session) {
		Request next = this.waiting.iterator().next();
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
		int probe = ++this.probes;
		session.write(Operation.sync(this.path.parent()), (response) -> {
		});
		session.lists().list(this.path.parent(), (response) -> probed(probe, response));
		this.probing = true;
	}

	private synchronized void probed(int probe, Response<Listing> response) {
		if (!this.probing || probe != this.probes) {
			return;
		}
		this.probing = false;
		if (response.is(Meaning.OK)) {
			List<ContenderNode> present = response.result().contenders();
			removeImpatient(Request.Outcome.REFUSED,
					(request) -> present.stream().anyMatch(request.kind()::isBlockedBy));
		}
		else if (!response.is(Meaning.NO_NODE)) {
			failImpatient(whyUnanswered(response));
		}
		if (this.waiting.isEmpty()) {
			settle();
		}
		else {
			proceed();
		}
	}

	private Failure whyUnanswered(Response<?> response) {
		return switch (response.meaning()) {
			case DISCONNECTED -> this.keeper.notConnected();
			case REFUSED, TOO_LONG -> Refusal.of(response, this.path.parent());
			default -> new Failure(UnavailableReason.NO_ANSWER,
					"no usable answer: look at the servers (property 'zk.lock.connect-string') and their logs",
					response.toException(this.path.parent()));
		};
	}

	private void refuseImpatient() {
		removeImpatient(Request.Outcome.REFUSED, (request) -> true);
	}

	private void failImpatient(Failure failure) {
		removeImpatient(failed(failure), (request) -> true);
	}

	private void removeImpatient(Request.Outcome outcome, Predicate<Request> condition) {
		removeWaiting(outcome, (request) -> !request.time().isPatient() && condition.test(request));
	}

	private void removeWaiting(Request.Outcome outcome, Predicate<Request> condition) {
		for (Iterator<Request> requests = this.waiting.iterator(); requests.hasNext();) {
			Request request = requests.next();
			if (condition.test(request)) {
				decide(request, outcome);
				requests.remove();
			}
		}
		if (this.waiting.isEmpty()) {
			settle();
		}
	}

	/**
	 * Decide how a wait ends, before the request is forgotten. Who finds it decided sees
	 * to it that the caller hears of it: an error may have prevented it.
	 * @return false if it was decided before
	 */
	private static boolean decide(Request request, Request.Outcome outcome) {
		boolean first = request.decide(outcome);
		if (!first) {
			request.tellAgain();
		}
		return first;
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
		if (this.waiting.remove(request) && this.waiting.isEmpty()) {
			settle();
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
		if (this.keeper.isSilent(this.services.answerNanos())) {
			return false;
		}
		Contender present = this.contender;
		boolean behindOthers = present != null && present.isBehindOthers()
				&& present.session().lease().currentTerm() != Lease.NONE;
		return behindOthers || (this.contended && request.time().hasBegunBefore(this.contendedAt));
	}

	/**
	 * Somebody else has the lock. That is true for all who wait now, until the connection
	 * is lost.
	 */
	private void noteContention() {
		this.contended = true;
		this.contendedAt = System.nanoTime();
	}

	/**
	 * Nobody waits: let go of what nobody has.
	 */
	private void settle() {
		Contender present = this.contender;
		if (this.hold == null && present != null
				&& (this.keeper.isClosed() ? present.abandon() : present.abandonWhenConnected())) {
			this.contender = null;
		}
		if (this.hold == null && this.contender == null) {
			this.probing = false;
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
		return this.hold != null || this.contender != null || !this.waiting.isEmpty();
	}

	// Granting

	@Override
	public void created(Contender created, boolean rootWasMissing) {
		this.family.created(created.session(), rootWasMissing);
	}

	@Override
	public void granted(Contender granted) {
		if (granted == this.contender) {
			passOn();
		}
	}

	/**
	 * Decide who gets the lock that nobody holds.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	private CompletableFuture<Void> passOn() {
		Contender present = this.contender;
		if (present == null) {
			return done();
		}
		int term = present.session().lease().currentTerm();
		if (term == Lease.NONE || this.waiting.isEmpty() || present.isBroken()) {
			return startOver(present);
		}
		if (!this.contenderWasHeld) {
			return grantNext(present, term);
		}
		return switch (present.others()) {
			case NONE -> grantNext(present, term);
			case WAITING -> startOver(present);
			case UNKNOWN -> {
				present.askForOthers();
				yield done();
			}
		};
	}

	private CompletableFuture<Void> grantNext(Contender present, int term) {
		for (Iterator<Request> requests = this.waiting.iterator(); requests.hasNext();) {
			Request request = requests.next();
			if (request.kind() != present.kind()) {
				break;
			}
			if (request.time().isOver()) {
				decide(request, tooLate(request));
				requests.remove();
				continue;
			}
			Hold granted = new Hold(this, present, term, !this.contenderWasHeld, request);
			this.hold = granted;
			pass("grant");
			boolean taken = decide(request, Request.Outcome.granted(granted));
			requests.remove();
			if (taken) {
				this.contenderWasHeld = true;
				this.vanished.reset();
				noteContention();
				if (!this.waiting.isEmpty()) {
					present.askForOthers();
				}
				return done();
			}
			this.hold = null;
		}
		return startOver(present);
	}

	private Request.Outcome tooLate(Request request) {
		return isContended(request) ? Request.Outcome.REFUSED : failed(this.keeper.unanswered(request.time()));
	}

	/**
	 * Give the node up and, in the same flight, queue a new one for those who wait.
	 */
	private CompletableFuture<Void> startOver(Contender present) {
		pass("start over");
		present.adopt();
		CompletableFuture<Void> deleted = present.release();
		this.contender = null;
		this.replaced = present;
		try {
			next();
		}
		finally {
			this.replaced = null;
		}
		return deleted;
	}

	private void next() {
		if (this.waiting.isEmpty()) {
			settle();
		}
		else {
			proceed();
		}
	}

	private static CompletableFuture<Void> done() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void queued(Contender queued) {
		if (queued == this.contender) {
			noteContention();
			refuseImpatient();
		}
	}

	@Override
	public void othersChanged(Contender changed) {
		if (changed != this.contender) {
			return;
		}
		if (this.hold == null) {
			passOn();
		}
		else if (!this.waiting.isEmpty()) {
			changed.askForOthers();
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
		noteContention();
		return passOn();
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
		else if (asking.isFirst() && present.czxidIsToken()) {
			token.complete(present.czxid());
		}
		else {
			present.writeToken(() -> isCurrent(asking), token);
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
			startOver(lost.contender());
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
			passOn();
		}
		else if (this.hold.term() <= term) {
			lose(this.hold, session.loss(term));
		}
	}

	@Override
	public void gone(Contender gone) {
		if (gone == this.contender) {
			this.contender = null;
			loseHold(gone.loss());
			pause(this.vanished.pause());
			next();
		}
	}

	private void pause(long nanos) {
		if (nanos > 0) {
			this.keeper.loop().schedule(this::endPause, nanos);
			this.pausing = true;
		}
	}

	private synchronized void endPause() {
		this.pausing = false;
		next();
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
			next();
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
		removeWaiting(failed(failure), (request) -> true);
	}

	// The session's fate

	@Override
	public synchronized void connected(Session session) {
		Contender present = this.contender;
		if (present != null) {
			present.reconnected();
		}
		if (this.waiting.isEmpty()) {
			return;
		}
		List<Request> impatient = this.waiting.stream().filter((request) -> !request.time().isPatient()).toList();
		if (!impatient.isEmpty()) {
			this.keeper.loop().schedule(() -> answerOverdue(impatient), this.services.answerNanos());
		}
		boolean impatientOnly = impatient.size() == this.waiting.size();
		if (present == null && impatientOnly && !this.probing) {
			probe();
		}
		else {
			proceed();
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
				if (this.waiting.contains(request)) {
					decide(request, held ? Request.Outcome.REFUSED : tooLate(request));
					this.waiting.remove(request);
				}
			}
			if (this.waiting.isEmpty()) {
				settle();
			}
		}
	}

	@Override
	public synchronized void unreachable() {
		if (this.waiting.isEmpty()) {
			settle();
			return;
		}
		removeWaiting(failed(this.keeper.notConnected()), (request) -> !request.time().isEndless());
	}

	@Override
	public synchronized void disconnected() {
		if (this.contender != null) {
			this.contender.disconnected();
		}
		this.probing = false;
		this.contended = false;
		if (this.waiting.isEmpty()) {
			// Thousands may be held, and the others wait for this to be over
			settle();
		}
		else {
			failImpatient(this.keeper.notConnected());
		}
	}

	@Override
	public synchronized void died(Session session, Loss loss) {
		this.probing = false;
		this.contended = false;
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
			next();
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
		this.waiting.removeIf(LockQueue::hasLeft);
		Contender present = this.contender;
		if (present != null && present.isOver()) {
			present.end();
			this.contender = null;
		}
		// Before anything is deleted
		repairHold();
		present = this.contender;
		if (this.hold == null && present != null && (present.isGranted() || present.isBroken())) {
			passOn();
		}
		else if (this.hold == null || !this.waiting.isEmpty()) {
			next();
		}
	}

	/**
	 * Nobody waits who was thrown out, or whose wait has been decided.
	 */
	private static boolean hasLeft(Request request) {
		if (request.forsaken) {
			request.leave();
		}
		request.tellAgain();
		return request.outcome() != null;
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
		if (present == null || !present.hasNode(node)) {
			return;
		}
		if (this.hold != null) {
			lose(this.hold, Loss.BROKEN);
		}
		else {
			startOver(present);
		}
	}

	@Override
	public synchronized void takeAway() {
		if (this.hold != null) {
			lose(this.hold, Loss.CLOSED);
		}
	}

}
