package io.github.zklock.spring.local;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One term of leadership, and the work that is done in it. It ends once. What changes is
 * changed under the monitor of its {@link LocalElection}.
 */
final class Reign {

	private final long token;

	private final String winner = Thread.currentThread().getName();

	private final Instant since = Instant.now();

	private final Set<Work> works = new LinkedHashSet<>();

	private volatile boolean over;

	private volatile boolean windingUp;

	private long windingUpSince;

	Reign(long token) {
		this.token = token;
	}

	long token() {
		return this.token;
	}

	/**
	 * Return the name of the thread that has won the election.
	 */
	String winner() {
		return this.winner;
	}

	Instant since() {
		return this.since;
	}

	boolean goesOn() {
		return !this.over;
	}

	/**
	 * Return whether new work may begin.
	 */
	boolean isOpen() {
		return !this.windingUp && !this.over;
	}

	void begin(Work work) {
		this.works.add(work);
	}

	void ended(Work work) {
		this.works.remove(work);
	}

	/**
	 * Let no more work begin, and tell that which is waited for. The work of the current
	 * thread is not.
	 */
	void windUp() {
		if (!this.windingUp) {
			this.windingUpSince = System.nanoTime();
			this.windingUp = true;
		}
		this.works.forEach((work) -> work.leaving(Thread.currentThread()));
	}

	/**
	 * Return for how long no more work may have begun, in nanoseconds.
	 */
	long windingUpFor() {
		return this.windingUp ? System.nanoTime() - this.windingUpSince : 0;
	}

	/**
	 * Return whether no work is waited for, and no more will begin.
	 */
	boolean isWoundUp() {
		return this.windingUp && this.works.stream().allMatch(Work::hasResigned);
	}

	/**
	 * End the term, and interrupt the work that is still going on.
	 */
	void end() {
		this.over = true;
		List.copyOf(this.works).forEach(Work::lose);
	}

}
