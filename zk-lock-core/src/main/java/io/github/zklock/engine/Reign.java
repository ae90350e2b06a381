package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * One term of leadership, from the grant to the revocation, and the work that is done in
 * it. It ends once. What changes is changed under the monitor of its {@link Candidacy}.
 */
final class Reign {

	private final Session session;

	private final int term;

	private final long token;

	private final Instant since = Instant.now();

	private final Set<Work> works = new LinkedHashSet<>();

	private final long begun = System.nanoTime();

	// Written before the end
	private @Nullable Loss loss;

	private long ended;

	// Written before the end
	private boolean givenUp;

	private volatile boolean over;

	private volatile boolean windingUp;

	private long windingUpSince;

	/**
	 * Begin a term.
	 * @param session the session that has won the election
	 * @param term the term of the lease in which it was won
	 * @param token orders this leadership behind all earlier ones
	 */
	Reign(Session session, int term, long token) {
		this.session = session;
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
		return !this.over && this.session.lease().isValid(this.term);
	}

	/**
	 * Return why the leadership is lost that has been lost.
	 */
	Loss loss() {
		Loss known = this.loss;
		return (this.over && known != null) ? known : this.session.loss(this.term);
	}

	/**
	 * Return how long it has lasted.
	 */
	Duration age() {
		return Duration.ofNanos((this.over ? this.ended : System.nanoTime()) - this.begun);
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
	 * Let no more work begin, and tell that which is waited for.
	 * @param asking the thread that wants this, whose own work is not waited for
	 */
	void windUp(@Nullable Thread asking) {
		close();
		this.works.forEach((work) -> work.leaving(asking));
	}

	private void close() {
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
	 * Return whether no work is waited for, and no more will begin.
	 */
	boolean isWoundUp() {
		return this.windingUp && this.works.stream().allMatch(Work::hasResigned);
	}

	boolean isUsedByOther(Thread thread) {
		return this.works.stream().anyMatch((work) -> work.worker() != thread);
	}

	/**
	 * End the term, and interrupt the work that is still going on.
	 * @param given why, unless it was lost before for another reason
	 */
	void end(Loss given) {
		if (!this.over) {
			this.givenUp = goesOn();
			this.loss = this.givenUp ? given : this.session.loss(this.term);
			this.ended = System.nanoTime();
		}
		this.over = true;
		close();
		List.copyOf(this.works).forEach(Work::lose);
	}

	/**
	 * Return whether it has ended before ZooKeeper may have let another one lead.
	 */
	boolean wasGivenUp() {
		return this.over && this.givenUp;
	}

}
