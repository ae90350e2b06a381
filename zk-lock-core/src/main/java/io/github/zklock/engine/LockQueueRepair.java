package io.github.zklock.engine;

/**
 * Brings a queue into order after an error, which may have been thrown at any line, and
 * may have left anything half done. Under the monitor of the queue.
 */
final class LockQueueRepair {

	private final LockQueue queue;

	private final QueueContention contention;

	private final QueueGrants grants;

	LockQueueRepair(LockQueue queue) {
		this.queue = queue;
		this.contention = queue.contention();
		this.grants = queue.grants();
	}

	void repair() {
		this.queue.waiters().repair();
		this.contention.repair();
		// Before anything is deleted
		Hold held = this.grants.hold();
		if (held != null) {
			repair(held);
		}
		Contender present = this.contention.contender();
		if (!this.grants.isHolding() && present != null && (present.isGranted() || present.isBroken())) {
			this.grants.handOverOrRelease();
		}
		else if (!this.grants.isHolding() || !this.queue.waiters().isEmpty()) {
			this.contention.contendOrRelease();
		}
	}

	private void repair(Hold held) {
		if (held.contender() != this.contention.contender() || held.contender().isBroken()) {
			this.grants.loseWithNode(held.isCovered() ? Loss.INTERNAL_ERROR : held.whyUncovered());
		}
		else if (!held.isCovered()) {
			this.grants.loseIfUncovered();
		}
		else if (held.hasLost()) {
			this.grants.loseWithNode(Loss.INTERNAL_ERROR);
		}
		else if (!held.isDecided()) {
			this.grants.drop();
		}
		else if (held.isClosed()) {
			this.grants.releaseClosed(held);
		}
		else if (held.request().forsaken) {
			held.takeBack();
		}
		else if (!held.isTold()) {
			held.request().tellAgain();
		}
	}

}
