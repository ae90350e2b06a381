package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.zklock.LockException;
import io.github.zklock.LockNames;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.leader.LeadershipListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part that this process takes in one election: at most one node, and the leadership
 * that comes with it.
 *
 * <p>
 * The node stays as long as its session, whatever happens to the connection: if everybody
 * gave up his place after each disturbance, nobody would lead for long. And there is
 * never a second one before the first is known to be gone: an old node in front would
 * keep everybody waiting, this process included.
 *
 * <p>
 * Everything happens under this object's monitor, for moments only: ZooKeeper is called
 * without waiting, and users are never called.
 */
final class Candidacy implements Contender.Owner, Dependent {

	private static final Logger logger = LoggerFactory.getLogger(Candidacy.class);

	static final long LEAST_NANOS_FOR_LISTENERS = TimeUnit.MILLISECONDS.toNanos(500);

	private final ElectionHandle election;

	private final Elections elections;

	private final LockPath path;

	private final Services services;

	private final SessionKeeper keeper;

	private final LeadershipListeners listeners;

	private final long handOverNanos;

	private final List<CompletableFuture<Void>> leavers = new ArrayList<>();

	private boolean joined;

	private @Nullable Contender contender;

	// Has led, and is to end when its work has: it is not adopted or confirmed any more
	private @Nullable Contender ending;

	// Its node may still be there
	private @Nullable Contender departing;

	// If there is one, the departing node has not been deleted yet
	private @Nullable HandOver handOver;

	private volatile @Nullable Reign reign;

	private boolean suspended;

	private @Nullable LockException failure;

	private boolean pausing;

	private final VanishedNodes vanished;

	private boolean nodeCreated;

	/**
	 * Create a candidacy that takes no part yet.
	 * @param election what callers see of it
	 * @param elections all elections of the registry
	 * @param path where the nodes are
	 * @param services what all share
	 * @param handOverNanos how long those who work as a leader or listen are waited for
	 * when it leaves
	 */
	Candidacy(ElectionHandle election, Elections elections, LockPath path, Services services, long handOverNanos) {
		this.election = election;
		this.elections = elections;
		this.path = path;
		this.services = services;
		this.keeper = services.keeper();
		this.listeners = new LeadershipListeners(services.users(), this::heard);
		this.handOverNanos = handOverNanos;
		this.vanished = new VanishedNodes(path);
	}

	ElectionHandle election() {
		return this.election;
	}

	String role() {
		return this.path.name();
	}

	@Override
	public LockPath path() {
		return this.path;
	}

	/**
	 * Return the leadership of this process, if it has it and is not leaving.
	 */
	@Nullable Reign openReign() {
		Reign present = this.reign;
		return (present != null && present.isOpen()) ? present : null;
	}

	// Joining

	synchronized void join() {
		if (this.keeper.isClosed()) {
			throw this.keeper.refusal().ofRole(role(), this.keeper.place());
		}
		boolean before = this.joined;
		if (!before) {
			this.failure = null;
		}
		this.joined = true;
		try {
			proceed();
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
		return this.reign != null || !this.joined || this.handOver != null || this.pausing || this.failure != null;
	}

	/**
	 * Take the next step for one who wants to lead.
	 */
	private synchronized void proceed() {
		if (!this.joined || this.departing != null || this.pausing) {
			return;
		}
		this.keeper.activate(this);
		if (this.contender != null && this.contender.isBroken()) {
			discard(this.contender);
			return;
		}
		if (this.contender != null) {
			if (this.contender != this.ending) {
				this.contender.adopt();
				finish();
			}
			return;
		}
		Session session = this.keeper.connectedSession();
		if (session != null) {
			Contender started = new Contender(this.services.settings(), session, this.path, NodeKind.LOCK, this,
					this.services.nodeData().of(Thread.currentThread().getName()));
			this.contender = started;
			started.start();
		}
	}

	@Override
	public void created(Contender created, boolean rootWasMissing) {
		this.services.access().created(created.session(), this.path, rootWasMissing, !this.nodeCreated);
		this.nodeCreated = true;
	}

	@Override
	public void queued(Contender queued) {
		this.failure = null;
	}

	// Leading

	@Override
	public void granted(Contender granted) {
		if (granted != this.contender) {
			return;
		}
		this.failure = null;
		if (!this.joined) {
			giveUp();
			return;
		}
		int term = granted.session().lease().currentTerm();
		if (term == Lease.NONE) {
			granted.confirm();
			return;
		}
		Reign begun = new Reign(granted.session(), term, granted.czxid());
		this.keeper.loop().pass("lead");
		this.reign = begun;
		this.suspended = false;
		this.listeners.excuseNobody();
		this.listeners.tell((listener) -> listener.granted(role(), begun.token()));
		EventLoop
			.attempt(() -> logger.info("Leadership of '{}' granted, token {}", LockNames.shown(role()), begun.token()));
	}

	/**
	 * This process does not lead any more. Whoever works as a leader is interrupted, and
	 * then the listeners are told.
	 * @param loss why, unless it was lost before for another reason
	 */
	private void revoke(Loss loss) {
		Reign ended = this.reign;
		if (ended != null) {
			this.keeper.loop().pass("revoke");
			// May be done again if it fails before the listeners are told
			ended.end(loss);
			this.keeper.changed();
			this.reign = null;
			this.listeners.tell((listener) -> listener.revoked(role(), ended.token()));
			EventLoop.attempt(() -> logRevocation(ended));
		}
	}

	private void logRevocation(Reign ended) {
		Loss loss = ended.loss();
		if (loss.isOwnWill()) {
			logger.info("Leadership of '{}' given up after {} ms, token {}", LockNames.shown(role()),
					ended.age().toMillis(), ended.token());
		}
		else {
			logger.info("Leadership of '{}' lost after {} ms, token {}: {}", LockNames.shown(role()),
					ended.age().toMillis(), ended.token(), loss.description());
		}
	}

	private Loss givenUp() {
		return this.keeper.isClosed() ? Loss.CLOSED : Loss.GIVEN_UP;
	}

	/**
	 * Begin to work, if this process leads and is not leaving.
	 * @param outer the work within which it begins, if any: then it has to be the same
	 * term of leadership
	 * @param worker the thread that does the work, if it is a single one
	 */
	synchronized @Nullable Work begin(@Nullable Work outer, @Nullable Thread worker) {
		Reign present = openReign();
		if (present == null || (outer != null && outer.reign() != present)) {
			return null;
		}
		Work work = new Work(this, present, this.services.users(), worker);
		present.begin(work);
		return work;
	}

	synchronized void ended(Work work) {
		try {
			work.reign().ended(work);
			if (work.reign() == this.reign && work.reign().isWoundUp()) {
				giveUp();
			}
			this.keeper.changed();
		}
		catch (Throwable ex) {
			troubled();
			throw ex;
		}
	}

	synchronized void addListener(LeadershipListener listener) {
		Reign present = this.reign;
		List<Consumer<LeadershipListener>> past = new ArrayList<>();
		if (present != null) {
			past.add((told) -> told.granted(role(), present.token()));
			if (this.suspended) {
				past.add((told) -> told.suspended(role(), present.token()));
			}
		}
		LockException refusal = this.failure;
		if (refusal != null && this.joined) {
			past.add((told) -> told.failed(role(), refusal));
		}
		this.listeners.add(listener, past);
		this.elections.keep(this, true);
	}

	synchronized void removeListener(LeadershipListener listener) {
		this.listeners.remove(listener);
		this.elections.keep(this, !this.listeners.isEmpty());
	}

	// Leaving

	/**
	 * Take part no longer. A leader lets no more work begin, and gives up its leadership
	 * when all work has ended but that of the current thread, or when it has waited for
	 * long enough.
	 */
	synchronized Departure leave() {
		this.joined = false;
		return endTerm();
	}

	/**
	 * Give up the leadership as {@link #leave()} does, and queue again behind all others.
	 * @param work what the current thread does, if it does something: then it has to be
	 * the same term of leadership, and is not waited for
	 * @return null if this process does not lead, or is leaving
	 */
	synchronized @Nullable Departure stepDown(@Nullable Work work) {
		Reign present = openReign();
		if (present == null || (work != null && work.reign() != present)) {
			return null;
		}
		if (work != null) {
			work.resign();
		}
		return endTerm();
	}

	private Departure endTerm() {
		Contender leaving = (this.contender != null) ? this.contender : this.departing;
		CompletableFuture<Void> left = new CompletableFuture<>();
		this.leavers.add(left);
		try {
			Reign present = this.reign;
			this.ending = (present != null) ? this.contender : null;
			windDown();
			if (present != null && present == this.reign) {
				waitForWork(present, leaving);
			}
			finishIfLeft();
		}
		catch (Throwable ex) {
			troubled();
			throw ex;
		}
		return new Departure(this, leaving, left);
	}

	private void waitForWork(Reign present, @Nullable Contender leaving) {
		long remaining = remaining(present);
		if (remaining > 0) {
			this.keeper.loop().schedule(() -> waitNoLongerForWork(leaving), remaining);
		}
		else {
			giveUp();
		}
	}

	private synchronized void waitNoLongerForWork(@Nullable Contender leaving) {
		if (leaving != null && leaving == this.contender && leaving == this.ending) {
			giveUp();
		}
	}

	/**
	 * Take part no longer, since the registry is closed. Leadership ends as soon as
	 * nobody else works.
	 */
	synchronized void windUp() {
		this.joined = false;
		windDown();
	}

	/**
	 * Let no more work begin. Leadership ends as soon as no work is going on. Neither the
	 * work of the current thread nor the listener that it calls is waited for.
	 */
	private void windDown() {
		this.listeners.excuseCaller();
		heard();
		Reign present = this.reign;
		if (present != null) {
			present.windUp(Thread.currentThread());
		}
		if (present == null || present.isWoundUp()) {
			giveUp();
		}
	}

	/**
	 * Return how long an end in good order may still take.
	 */
	private long remaining(Reign ending) {
		return this.handOverNanos - ending.windingUpFor();
	}

	private void giveUp() {
		this.keeper.loop().pass("give up");
		Contender present = this.contender;
		Reign ending = this.reign;
		if (present != null && ending != null && ending.goesOn() && this.handOverNanos > 0) {
			handOver(present, ending);
		}
		else {
			revoke(givenUp());
			if (present != null && present.abandon()) {
				depart(present);
			}
		}
		settle();
	}

	/**
	 * End a leadership that is not lost, and delete its node when the listeners have
	 * heard of it. From now on the attempt is nobody's: it is not adopted, confirmed or
	 * granted any more.
	 */
	private void handOver(Contender leaving, Reign ending) {
		long nanos = Math.max(LEAST_NANOS_FOR_LISTENERS, remaining(ending));
		this.handOver = new HandOver(leaving, ending.term(), this.keeper.loop().schedule(() -> hurry(leaving), nanos));
		this.departing = leaving;
		this.contender = null;
		revoke(givenUp());
		heard();
	}

	/**
	 * Delete the node of a former leader if all listeners have heard that it does not
	 * lead any more.
	 */
	private synchronized void heard() {
		HandOver present = this.handOver;
		try {
			if (present != null && this.listeners.haveHeardAll()) {
				hurry(present.contender());
			}
		}
		catch (Throwable ex) {
			troubled();
			throw ex;
		}
	}

	/**
	 * Wait no longer for work or listeners.
	 * @param leaving the attempt that is to end
	 */
	synchronized void hurry(@Nullable Contender leaving) {
		waitNoLongerForWork(leaving);
		HandOver present = this.handOver;
		if (present != null && present.contender() == leaving) {
			revoke(givenUp());
			present.contender().release();
			endHandOver();
			depart(present.contender());
			finishIfLeft();
		}
	}

	/**
	 * Wait for listeners no longer, whatever attempt is to end.
	 */
	synchronized void hurry() {
		hurry(this.departing);
	}

	private void endHandOver() {
		HandOver ended = this.handOver;
		if (ended != null) {
			this.handOver = null;
			ended.timeout().cancel();
			this.keeper.changed();
		}
	}

	synchronized boolean isHandingOver() {
		return this.handOver != null;
	}

	/**
	 * Return whether ZooKeeper has still to answer somebody who leaves.
	 */
	private boolean isLeaving() {
		return (this.departing != null) ? !this.departing.isAnswered() : this.contender != null && !this.joined;
	}

	/**
	 * An attempt has ended, and its node is being deleted.
	 */
	private void depart(Contender ended) {
		this.contender = null;
		this.departing = ended;
		ended.whenAnswered(this::finishIfLeft);
		ended.whenGone(() -> departed(ended));
	}

	private synchronized void departed(Contender gone) {
		if (gone == this.departing) {
			this.departing = null;
			settle();
		}
	}

	@Override
	public void abandoned(Contender abandoned) {
		if (abandoned == this.contender) {
			depart(abandoned);
		}
	}

	/**
	 * Take the next step after something has ended.
	 */
	private void settle() {
		if (this.contender == null) {
			this.ending = null;
			if (this.departing == null) {
				// Unless an error has prevented it, nobody leads without a node
				revoke(Loss.INTERNAL_ERROR);
				deactivateUnlessJoined();
			}
		}
		finishIfLeft();
		proceed();
	}

	private void deactivateUnlessJoined() {
		if (!this.joined) {
			// Nobody repairs what is not active
			this.listeners.tellAgain();
			this.keeper.deactivate(this);
		}
	}

	/**
	 * Let nobody wait who leaves, unless there is something to wait for: work, listeners,
	 * or an answer of ZooKeeper.
	 */
	private synchronized void finishIfLeft() {
		if (this.reign == null && this.handOver == null && (!isLeaving() || this.keeper.hasLostConnection())) {
			finish();
		}
	}

	/**
	 * Let nobody wait who leaves.
	 */
	synchronized void finish() {
		this.leavers.forEach((left) -> left.complete(null));
		this.leavers.clear();
	}

	// Losing

	@Override
	public synchronized void leaseEnded(Session session, int term) {
		HandOver ending = this.handOver;
		if (ending != null && ending.isOf(session) && ending.term() <= term) {
			hurry(ending.contender());
		}
		Contender present = this.contender;
		if (present == null || present.session() != session || !present.isGranted()) {
			return;
		}
		Reign current = this.reign;
		if (current != null && current.term() <= term) {
			revoke(session.loss(term));
		}
		if (this.reign != null) {
			return;
		}
		if (this.joined && present != this.ending) {
			present.confirm();
		}
		else {
			giveUp();
		}
	}

	@Override
	public void gone(Contender gone) {
		if (gone == this.contender) {
			revoke(gone.loss());
			this.contender = null;
			pause(this.vanished.pause());
			settle();
		}
		else if (gone == this.departing) {
			endHandOver();
			departed(gone);
		}
	}

	private void pause(long nanos) {
		if (nanos > 0) {
			this.keeper.loop().schedule(this::endPause, nanos);
			this.pausing = true;
		}
	}

	@Override
	public void failed(Contender failed, Failure failure) {
		if (failed == this.departing) {
			endHandOver();
			depart(failed);
		}
		if (failed != this.contender) {
			return;
		}
		revoke(Loss.of(failure));
		depart(failed);
		tryAgainLater(failure);
	}

	private void tryAgainLater(Failure why) {
		LockUnavailableException refusal = why.ofRole(role(), this.keeper.place());
		if (this.failure != null) {
			logger.debug("{}", refusal.getMessage());
		}
		else if (this.joined) {
			logger.error("{}. Trying again", refusal.getMessage());
			this.failure = refusal;
			this.listeners.tell((listener) -> listener.failed(role(), refusal));
		}
		this.keeper.loop().backOff(this::endPause);
		this.pausing = true;
	}

	private synchronized void endPause() {
		this.pausing = false;
		proceed();
	}

	// The session's fate

	@Override
	public synchronized void connected(Session session) {
		Reign present = this.reign;
		if (present != null && this.suspended && present.goesOn()) {
			this.suspended = false;
			this.listeners.tell((listener) -> listener.resumed(role(), present.token()));
		}
		proceed();
	}

	@Override
	public synchronized void disconnected() {
		if (this.contender != null) {
			this.contender.disconnected();
		}
		Reign present = this.reign;
		if (present != null && !this.suspended) {
			this.suspended = true;
			this.listeners.tell((listener) -> listener.suspended(role(), present.token()));
		}
		finishIfLeft();
	}

	@Override
	public synchronized void died(Session session, Loss loss) {
		if (this.departing != null && this.departing.session() == session) {
			this.departing.end();
			endHandOver();
			this.departing = null;
		}
		Contender present = this.contender;
		if (present != null && present.session() == session) {
			revoke(loss);
			present.end();
			this.contender = null;
		}
		if (SessionKeeper.isRefusal(loss) && this.joined) {
			tryAgainLater(Refusal.CREDENTIALS);
		}
		settle();
	}

	@Override
	public synchronized void tick() {
		if (this.contender != null) {
			this.contender.watchOwnNode();
		}
		if (this.reign != null) {
			this.vanished.reset();
		}
	}

	// After an error

	/**
	 * An error has thrown a caller out.
	 */
	void troubled() {
		this.keeper.loop().troubled = true;
	}

	@Override
	public synchronized void repair() {
		this.pausing = false;
		this.listeners.tellAgain();
		repairDeparture();
		Contender present = this.contender;
		if (present != null && present.isOver()) {
			revoke(Loss.INTERNAL_ERROR);
			present.end();
			this.contender = null;
		}
		else if (present != null && present.isBroken()) {
			discard(present);
		}
		else if (present != null && isReignWrong(present)) {
			repairReign(present);
		}
		Reign current = this.reign;
		if (current != null && this.ending != null && this.ending == this.contender) {
			waitForWork(current, this.ending);
		}
		settle();
	}

	private void repairDeparture() {
		Contender ended = this.departing;
		if (ended == null) {
			return;
		}
		revoke(givenUp());
		if (this.contender == ended) {
			this.contender = null;
		}
		if (ended.isGone() || ended.session().isDead()) {
			endHandOver();
			departed(ended);
		}
		else if (this.handOver == null || ended.isBroken()) {
			endHandOver();
			discard(ended);
		}
		else {
			heard();
		}
	}

	/**
	 * End an attempt that an error has left half begun or half ended.
	 */
	private void discard(Contender broken) {
		revoke(Loss.INTERNAL_ERROR);
		// In this order: its owner takes the next step as soon as the node is gone
		depart(broken);
		broken.release();
	}

	/**
	 * Return whether what ZooKeeper has granted, or what is wanted, is not what this
	 * process does.
	 */
	private boolean isReignWrong(Contender present) {
		Reign current = this.reign;
		if (current == null) {
			return !this.joined || present.isGranted();
		}
		if (!this.joined || present == this.ending) {
			current.windUp(null);
		}
		return current.isWoundUp() || !current.goesOn() || (present == this.ending && remaining(current) <= 0);
	}

	private void repairReign(Contender present) {
		Reign current = this.reign;
		if (!this.joined || present == this.ending || (current != null && current.isWoundUp())) {
			giveUp();
		}
		else {
			revoke(Loss.INTERNAL_ERROR);
			present.confirm();
		}
	}

	// The end

	@Override
	public synchronized boolean isUsedByOther(Thread thread) {
		Reign present = this.reign;
		return present != null && present.isUsedByOther(thread);
	}

	@Override
	public synchronized void takeAway() {
		this.joined = false;
		giveUp();
	}

}
