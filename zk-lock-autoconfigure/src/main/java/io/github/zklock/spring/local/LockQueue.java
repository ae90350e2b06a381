package io.github.zklock.spring.local;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.github.zklock.LockMode;
import io.github.zklock.LossReason;
import io.github.zklock.spring.local.Request.Outcome;

/**
 * Who has one lock, and who waits for it, first in, first out. Used under the monitor of
 * the {@link LockTable}.
 */
final class LockQueue {

	private final Function<Request, Hold> grant;

	private final Set<Hold> holds = new LinkedHashSet<>();

	private final Set<Request> waiting = new LinkedHashSet<>();

	/**
	 * Create a queue.
	 * @param grant makes a hold for a request
	 */
	LockQueue(Function<Request, Hold> grant) {
		this.grant = grant;
	}

	Set<Hold> holds() {
		return this.holds;
	}

	Set<Request> waiting() {
		return this.waiting;
	}

	boolean isIdle() {
		return this.holds.isEmpty() && this.waiting.isEmpty();
	}

	/**
	 * Take a request. One that does not want to wait is decided at once.
	 */
	void add(Request request) {
		this.waiting.add(request);
		proceed();
		if (!request.time().isPatient() && this.waiting.remove(request)) {
			request.decide(Outcome.REFUSED);
		}
	}

	/**
	 * Take back a request that does not wait any more.
	 */
	void remove(Request request) {
		if (this.waiting.remove(request)) {
			proceed();
		}
	}

	/**
	 * Free what a hold has kept.
	 */
	void free(Hold hold) {
		if (this.holds.remove(hold)) {
			hold.stopLingering();
			proceed();
		}
	}

	/**
	 * Take the lock away from all who have it.
	 * @return false if nobody has
	 */
	boolean takeAway(LossReason reason) {
		List<Hold> taken = new ArrayList<>(this.holds);
		this.holds.clear();
		taken.forEach((hold) -> hold.markLost(reason));
		taken.forEach(Hold::stopLingering);
		proceed();
		return !taken.isEmpty();
	}

	/**
	 * Refuse all who wait, and take the lock away from all who have it.
	 */
	void close() {
		refuseWaiting();
		takeAway(LossReason.REGISTRY_CLOSED);
	}

	/**
	 * Refuse all who wait.
	 */
	void refuseWaiting() {
		List<Request> refused = new ArrayList<>(this.waiting);
		this.waiting.clear();
		refused.forEach((request) -> request.decide(Outcome.CLOSED));
	}

	/**
	 * Grant the lock to those whose turn it is.
	 */
	private void proceed() {
		for (Iterator<Request> requests = this.waiting.iterator(); requests.hasNext();) {
			Request next = requests.next();
			if (next.time().isPatient() && next.time().isOver()) {
				requests.remove();
				next.decide(Outcome.REFUSED);
			}
			else if (isFreeFor(next.mode())) {
				requests.remove();
				Hold hold = this.grant.apply(next);
				this.holds.add(hold);
				next.decide(Outcome.granted(hold));
			}
			else {
				return;
			}
		}
	}

	/**
	 * Return whether those who have the lock share it with one more. A writer has it
	 * alone, so any of them can tell.
	 */
	private boolean isFreeFor(LockMode mode) {
		return this.holds.isEmpty() || (mode == LockMode.READ && this.holds.iterator().next().mode() == LockMode.READ);
	}

}
