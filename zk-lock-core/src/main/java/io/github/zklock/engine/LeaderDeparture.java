package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The end of a leadership in good order, and of whatever else this process has in an
 * election: no new tasks; wait for the running ones; end the term, which interrupts what
 * still runs; wait until the listeners have returned; delete the node; wait for
 * ZooKeeper. No thread waits for that: the waits are timers, and each caller has a
 * {@link LeaveRequest} that is completed in the end.
 *
 * <p>
 * Under the monitor of its {@link Candidacy}, which those methods enter that others call.
 * In one class, since any step may be cut short: a loss, an interrupt or an error goes on
 * wherever this has come to.
 */
final class LeaderDeparture {

	static final long LEAST_NANOS_FOR_LISTENERS = TimeUnit.MILLISECONDS.toNanos(500);

	private final Candidacy candidacy;

	private final LeadershipState leadership;

	private final LeadershipListeners listeners;

	private final SessionKeeper keeper;

	private final long handOverNanos;

	private final List<CompletableFuture<Void>> leavers = new ArrayList<>();

	// Has led, and is to end when its tasks have: it is not adopted or confirmed any more
	private @Nullable Contender ending;

	// Has ended. Its node may still be there
	private @Nullable Contender departing;

	// If there is one, the departing node is not to be deleted yet
	private @Nullable HandOver handOver;

	/**
	 * Create the means to leave.
	 * @param candidacy whose monitor guards everything
	 * @param leadership what ends
	 * @param listeners the listeners, which are waited for
	 * @param keeper keeps the session
	 * @param handOverNanos how long tasks and listeners are waited for
	 */
	LeaderDeparture(Candidacy candidacy, LeadershipState leadership, LeadershipListeners listeners,
			SessionKeeper keeper, long handOverNanos) {
		this.candidacy = candidacy;
		this.leadership = leadership;
		this.listeners = listeners;
		this.keeper = keeper;
		this.handOverNanos = handOverNanos;
	}

	/**
	 * Return whether an attempt is to end as soon as its tasks have.
	 */
	boolean isEnding(Contender contender) {
		return contender == this.ending;
	}

	/**
	 * Return whether listeners are still being notified of the end of a leadership.
	 */
	boolean isHandingOver() {
		synchronized (this.candidacy) {
			return this.handOver != null;
		}
	}

	/**
	 * Return whether there may be a node of an attempt that has ended.
	 */
	boolean isNodeLeft() {
		return this.departing != null;
	}

	// Tasks

	/**
	 * Begin to leave. Neither the tasks of the current thread nor the listener that it
	 * calls are waited for.
	 */
	LeaveRequest begin() {
		Contender present = this.candidacy.contender();
		Contender leaving = (present != null) ? present : this.departing;
		try {
			CompletableFuture<Void> left = new CompletableFuture<>();
			this.leavers.add(left);
			LeaderTerm term = this.leadership.term();
			this.ending = (term != null) ? present : null;
			stopNewTasks();
			if (term != null && term == this.leadership.term()) {
				awaitTasks(term, leaving);
			}
			completeIfLeft();
			return new LeaveRequest(this.candidacy, leaving, left);
		}
		catch (Throwable ex) {
			this.candidacy.troubled();
			throw ex;
		}
	}

	/**
	 * Let no more tasks begin. Leadership ends as soon as none is running.
	 */
	void stopNewTasks() {
		this.listeners.excuseCaller();
		eventsDelivered();
		LeaderTerm present = this.leadership.term();
		if (present != null) {
			present.stopNewTasks(Thread.currentThread());
		}
		if (present == null || present.isDrained()) {
			endTerm();
		}
	}

	private void awaitTasks(LeaderTerm term, @Nullable Contender leaving) {
		long remaining = remaining(term);
		if (remaining > 0) {
			this.keeper.loop().schedule(() -> stopAwaitingTasks(leaving), remaining);
		}
		else {
			endTerm();
		}
	}

	private void stopAwaitingTasks(@Nullable Contender leaving) {
		synchronized (this.candidacy) {
			if (leaving != null && leaving == this.candidacy.contender() && leaving == this.ending) {
				endTerm();
			}
		}
	}

	/**
	 * Return how long an end in good order may still take.
	 */
	private long remaining(LeaderTerm term) {
		return this.handOverNanos - term.drainingNanos();
	}

	// Listeners

	/**
	 * End the leadership, or the attempt to have it, of one who wants that.
	 */
	void endTerm() {
		this.keeper.loop().pass("give up");
		Contender present = this.candidacy.contender();
		LeaderTerm term = this.leadership.term();
		if (present != null && term != null && term.isActive() && this.handOverNanos > 0) {
			handOver(present, term);
		}
		else {
			this.leadership.giveUp();
			if (present != null && present.abandon()) {
				awaitDelete(present);
			}
		}
		this.candidacy.advance();
	}

	/**
	 * End a leadership that is not lost, and delete its node when all listeners were
	 * notified. From now on the attempt is nobody's: it is not adopted, confirmed or
	 * granted any more.
	 */
	private void handOver(Contender leaving, LeaderTerm term) {
		long nanos = Math.max(LEAST_NANOS_FOR_LISTENERS, remaining(term));
		this.handOver = new HandOver(leaving, term.leaseTerm(),
				this.keeper.loop().schedule(() -> stopWaiting(leaving), nanos));
		this.departing = leaving;
		this.candidacy.forgetContender();
		this.leadership.giveUp();
		eventsDelivered();
	}

	/**
	 * Delete the node of a former leader if all listeners were notified that it does not
	 * lead any more.
	 */
	void eventsDelivered() {
		synchronized (this.candidacy) {
			HandOver present = this.handOver;
			try {
				if (present != null && this.listeners.isAllDelivered()) {
					stopWaiting(present.contender());
				}
			}
			catch (Throwable ex) {
				this.candidacy.troubled();
				throw ex;
			}
		}
	}

	/**
	 * Wait no longer for tasks or listeners.
	 * @param leaving the attempt that is to end
	 */
	void stopWaiting(@Nullable Contender leaving) {
		synchronized (this.candidacy) {
			stopAwaitingTasks(leaving);
			HandOver present = this.handOver;
			if (present != null && present.contender() == leaving) {
				this.leadership.giveUp();
				present.contender().release();
				endHandOver();
				awaitDelete(present.contender());
				completeIfLeft();
			}
		}
	}

	/**
	 * Wait for listeners no longer, whatever attempt is to end.
	 */
	void stopWaiting() {
		synchronized (this.candidacy) {
			stopWaiting(this.departing);
		}
	}

	private void endHandOver() {
		HandOver ended = this.handOver;
		if (ended != null) {
			this.handOver = null;
			ended.timeout().cancel();
			this.keeper.changed();
		}
	}

	// The node

	/**
	 * An attempt has ended, and its node is being deleted.
	 */
	void awaitDelete(Contender ended) {
		this.candidacy.forgetContender();
		this.departing = ended;
		ended.node().deletion().whenAnswered(this::completeIfLeft);
		ended.node().deletion().whenDone(() -> deleted(ended));
	}

	private void deleted(Contender ended) {
		synchronized (this.candidacy) {
			if (ended == this.departing) {
				this.departing = null;
				this.candidacy.advance();
			}
		}
	}

	/**
	 * The attempt of the candidacy has ended: there is none to end later.
	 */
	void contenderEnded() {
		this.ending = null;
	}

	/**
	 * Complete the pending requests, unless there is something to wait for: tasks,
	 * listeners, or an answer of ZooKeeper.
	 */
	void completeIfLeft() {
		synchronized (this.candidacy) {
			if (this.leadership.term() == null && this.handOver == null
					&& (!isAnswerMissing() || this.keeper.reachability().hasLostConnection())) {
				complete();
			}
		}
	}

	/**
	 * Return whether an answer of ZooKeeper is missing.
	 */
	private boolean isAnswerMissing() {
		return (this.departing != null) ? !this.departing.node().deletion().isAnswered()
				: this.candidacy.isLeavingQueue();
	}

	/**
	 * Complete the pending requests.
	 */
	void complete() {
		synchronized (this.candidacy) {
			this.leavers.forEach((left) -> left.complete(null));
			this.leavers.clear();
		}
	}

	// Ends that come in between

	void leaseEnded(Session session, int leaseTerm) {
		HandOver present = this.handOver;
		if (present != null && present.isOf(session) && present.leaseTerm() <= leaseTerm) {
			stopWaiting(present.contender());
		}
	}

	/**
	 * The node of an attempt has vanished.
	 */
	void vanished(Contender vanished) {
		if (vanished == this.departing) {
			endHandOver();
			deleted(vanished);
		}
	}

	void failed(Contender failed) {
		if (failed == this.departing) {
			endHandOver();
			awaitDelete(failed);
		}
	}

	void sessionEnded(Session session) {
		if (this.departing != null && this.departing.session() == session) {
			this.departing.end();
			endHandOver();
			this.departing = null;
		}
	}

	// After an error

	/**
	 * End an attempt that an error has left half begun or half ended.
	 */
	void discard(Contender broken) {
		this.leadership.revoke(Loss.INTERNAL_ERROR);
		// In this order: its owner takes the next step as soon as the node is gone
		awaitDelete(broken);
		broken.release();
	}

	void repair() {
		Contender ended = this.departing;
		if (ended == null) {
			return;
		}
		this.leadership.giveUp();
		if (this.candidacy.contender() == ended) {
			this.candidacy.forgetContender();
		}
		if (ended.node().deletion().isDone() || ended.session().hasEnded()) {
			endHandOver();
			deleted(ended);
		}
		else if (this.handOver == null || ended.isBroken()) {
			endHandOver();
			discard(ended);
		}
		else {
			eventsDelivered();
		}
	}

	/**
	 * Return whether a leadership should have ended by now.
	 */
	boolean isOverdue(Contender contender, LeaderTerm term) {
		return isEnding(contender) && remaining(term) <= 0;
	}

	/**
	 * Wait for tasks again: the error may have prevented it.
	 */
	void repairWait() {
		LeaderTerm present = this.leadership.term();
		if (present != null && this.ending != null && this.ending == this.candidacy.contender()) {
			awaitTasks(present, this.ending);
		}
	}

}
