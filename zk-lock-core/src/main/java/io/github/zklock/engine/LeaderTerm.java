package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One term of leadership, from the grant to the revocation, and the tasks that run in it.
 * It ends once. What changes is changed under the monitor of its {@link Candidacy}.
 */
final class LeaderTerm {

	private final Platform platform;

	private final Session session;

	private final int leaseTerm;

	private final long token;

	private final Instant since;

	private final Chain<LeaderTask> tasks = new Chain<>();

	private final long begun;

	// Written before the end
	private @Nullable Loss loss;

	private long ended;

	// Written before the end
	private boolean givenUp;

	private volatile boolean over;

	private volatile boolean draining;

	private long drainingSince;

	/**
	 * Begin a term.
	 * @param platform gives the time
	 * @param session the session that has won the election
	 * @param leaseTerm the term of the lease in which it was won
	 * @param token orders this leadership behind all earlier ones
	 */
	LeaderTerm(Platform platform, Session session, int leaseTerm, long token) {
		this.platform = platform;
		this.since = Instant.ofEpochMilli(platform.currentTimeMillis());
		this.begun = platform.nanoTime();
		this.session = session;
		this.leaseTerm = leaseTerm;
		this.token = token;
	}

	int leaseTerm() {
		return this.leaseTerm;
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
	boolean isActive() {
		return !this.over && this.session.lease().isValid(this.leaseTerm);
	}

	/**
	 * Return why the leadership is lost that has been lost.
	 */
	Loss loss() {
		Loss known = this.loss;
		return (this.over && known != null) ? known : this.session.loss(this.leaseTerm);
	}

	/**
	 * Return how long it has lasted.
	 */
	Duration age() {
		return Duration.ofNanos((this.over ? this.ended : this.platform.nanoTime()) - this.begun);
	}

	/**
	 * Return whether new tasks may begin.
	 */
	boolean isOpen() {
		return !this.draining && isActive();
	}

	void begin(LeaderTask task) {
		this.tasks.add(task);
	}

	void ended(LeaderTask task) {
		this.tasks.remove(task);
	}

	/**
	 * Let no more tasks begin, and tell those that are waited for.
	 * @param asking the thread that wants this, whose own tasks are not waited for
	 */
	void stopNewTasks(@Nullable Thread asking) {
		drain();
		this.tasks.list().forEach((task) -> task.leaving(asking));
	}

	private void drain() {
		if (!this.draining) {
			this.drainingSince = this.platform.nanoTime();
			this.draining = true;
		}
	}

	/**
	 * Return for how long no more tasks may have begun.
	 */
	long drainingNanos() {
		return this.draining ? this.platform.nanoTime() - this.drainingSince : 0;
	}

	/**
	 * Return whether no task is waited for, and no more will begin.
	 */
	boolean isDrained() {
		return this.draining && this.tasks.list().stream().allMatch((task) -> task.hasResigned() || task.isForsaken());
	}

	boolean isUsedByOther(Thread thread) {
		return this.tasks.list().stream().anyMatch((task) -> !task.isForsaken() && task.worker() != thread);
	}

	/**
	 * End the term, and interrupt the tasks that are still running.
	 * @param given why, unless it was lost before for another reason
	 */
	void end(Loss given) {
		if (!this.over) {
			this.givenUp = isActive();
			this.loss = this.givenUp ? given : this.session.loss(this.leaseTerm);
			this.ended = this.platform.nanoTime();
		}
		this.over = true;
		drain();
		this.tasks.list().forEach(LeaderTask::termEnded);
	}

	/**
	 * Return whether it has ended before ZooKeeper may have let another one lead.
	 */
	boolean wasGivenUp() {
		return this.over && this.givenUp;
	}

}
