package io.github.zklock.zookeeper;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One term of leadership, from the grant to the revocation, and the work that is done in
 * it. It ends once. What changes is changed under the monitor of its {@link Candidacy}.
 */
final class Reign {

	private final Lease lease;

	private final int term;

	private final long token;

	private final Instant since = Instant.now();

	private final Set<Work> works = new LinkedHashSet<>();

	private volatile boolean over;

	private volatile boolean windingUp;

	private long windingUpSince;

	/**
	 * Begin a term.
	 * @param lease the lease of the session that has won the election
	 * @param term the term of the lease in which it was won
	 * @param token orders this leadership behind all earlier ones
	 */
	Reign(Lease lease, int term, long token) {
		this.lease = lease;
		this.term = term;
		this.token = token;
	}

	int term() {
		return this.term;
	}

	long token() {
		return this.token;
	}

	Instant since() {
		return this.since;
	}

	/**
	 * Return whether ZooKeeper cannot have let another one lead.
	 */
	boolean goesOn() {
		return !this.over && this.lease.isValid(this.term);
	}

	/**
	 * Return whether new work may begin.
	 */
	boolean isOpen() {
		return !this.windingUp && goesOn();
	}

	void begin(Work work) {
		this.works.add(work);
	}

	void ended(Work work) {
		this.works.remove(work);
	}

	/**
	 * Let no more work begin.
	 */
	void windUp() {
		if (!this.windingUp) {
			this.windingUpSince = System.nanoTime();
			this.windingUp = true;
		}
	}

	/**
	 * Return for how long no more work may have begun, in nanoseconds.
	 */
	long windingUpFor() {
		return this.windingUp ? System.nanoTime() - this.windingUpSince : 0;
	}

	/**
	 * Return whether no work is going on, and no more will.
	 */
	boolean isWoundUp() {
		return this.windingUp && this.works.isEmpty();
	}

	boolean isUsedByOther(Thread thread) {
		return this.works.stream().anyMatch((work) -> work.worker() != thread);
	}

	/**
	 * End the term, and interrupt the work that is still going on.
	 */
	void end() {
		Thread resigning = goesOn() ? Thread.currentThread() : null;
		this.over = true;
		windUp();
		List.copyOf(this.works).forEach((work) -> work.lose(resigning));
	}

}
