package io.github.zklock.engine;

import org.jspecify.annotations.Nullable;

/**
 * Brings a candidacy into order after an error, which may have been thrown at any line,
 * and may have left anything half done. Under the monitor of the candidacy.
 */
final class CandidacyRepair {

	private final Candidacy candidacy;

	private final LeadershipState leadership;

	private final LeaderDeparture departure;

	CandidacyRepair(Candidacy candidacy, LeadershipState leadership, LeaderDeparture departure) {
		this.candidacy = candidacy;
		this.leadership = leadership;
		this.departure = departure;
	}

	void repair() {
		this.departure.repair();
		Contender present = this.candidacy.contender();
		if (present != null && present.isOver()) {
			this.leadership.revoke(Loss.INTERNAL_ERROR);
			present.end();
			this.candidacy.forgetContender();
		}
		else if (present != null && present.isBroken()) {
			this.departure.discard(present);
		}
		else if (present != null && isLeadershipWrong(present)) {
			repairLeadership(present);
		}
		this.departure.repairWait();
	}

	/**
	 * Return whether what ZooKeeper has granted, or what is wanted, is not what this
	 * process does.
	 */
	private boolean isLeadershipWrong(Contender present) {
		LeaderTerm current = this.leadership.term();
		if (current == null) {
			return !this.candidacy.isJoined() || present.isGranted();
		}
		if (!this.candidacy.isJoined() || this.departure.isEnding(present)) {
			current.stopNewTasks(null);
		}
		return current.isDrained() || !current.isActive() || this.departure.isOverdue(present, current);
	}

	private void repairLeadership(Contender present) {
		if (!this.candidacy.isJoined() || this.departure.isEnding(present) || isDrained(this.leadership.term())) {
			this.departure.endTerm();
		}
		else {
			this.leadership.revoke(Loss.INTERNAL_ERROR);
			present.confirm();
		}
	}

	private static boolean isDrained(@Nullable LeaderTerm term) {
		return term != null && term.isDrained();
	}

}
