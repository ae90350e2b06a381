package io.github.zklock.spring.leader;

import java.time.Instant;
import java.util.Optional;

import io.github.zklock.leader.LeaderWork;
import io.github.zklock.spring.support.LossInterrupt;
import org.jspecify.annotations.Nullable;

/**
 * What one thread does as the leader. Unlike {@link LeaderWork}, it knows its thread.
 */
final class LeaderTask {

	private final LeaderWork work;

	private final Optional<Instant> since;

	private final @Nullable LeaderTask outer;

	private volatile boolean resigned;

	private @Nullable LossInterrupt interrupt;

	/**
	 * Begin a task of the current thread.
	 * @param work the work as which it is done
	 * @param since since when this process leads
	 * @param outer the task within which it is done, if there is one
	 */
	LeaderTask(LeaderWork work, Optional<Instant> since, @Nullable LeaderTask outer) {
		this.work = work;
		this.since = since;
		this.outer = outer;
	}

	LeaderWork work() {
		return this.work;
	}

	@Nullable LeaderTask outer() {
		return this.outer;
	}

	boolean isLeader() {
		return this.work.isLeader();
	}

	long fencingToken() {
		return this.work.fencingToken();
	}

	Optional<Instant> since() {
		return isLeader() ? this.since : Optional.empty();
	}

	/**
	 * Nobody is to wait for this task, since it is what makes this process leave. Then
	 * leadership is not lost but given up.
	 */
	void resign() {
		if (isLeader()) {
			this.resigned = true;
		}
		this.work.close();
	}

	/**
	 * Return whether leadership has been lost since the task began.
	 */
	boolean isLost() {
		return !this.resigned && !isLeader();
	}

	/**
	 * Interrupt the thread if leadership is lost before {@link #endInterrupts()}.
	 */
	void interruptWhenLost() {
		LossInterrupt sent = new LossInterrupt();
		this.interrupt = sent;
		this.work.onLost(sent::send);
	}

	/**
	 * The thread is about to do something else: it is not interrupted any more, and an
	 * interrupt that was ours is taken back.
	 * @return whether it was interrupted because of the loss
	 */
	boolean endInterrupts() {
		return this.interrupt != null && this.interrupt.end();
	}

}
