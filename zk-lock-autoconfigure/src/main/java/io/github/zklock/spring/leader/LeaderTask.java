package io.github.zklock.spring.leader;

import java.time.Instant;
import java.util.Optional;

import io.github.zklock.LossInterrupt;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * What one thread does as the leader. Unlike {@link LeaderWork}, it knows its thread.
 */
final class LeaderTask {

	private final LeaderWork work;

	private final Optional<Instant> since;

	private final OnLost onLost;

	private final @Nullable LeaderTask outer;

	private volatile boolean resigned;

	private @Nullable LossInterrupt interrupt;

	/**
	 * Begin a task of the current thread.
	 * @param work the work as which it is done
	 * @param since since when this process leads
	 * @param onLost what becomes of a loss
	 * @param outer the task within which it is done, if there is one
	 */
	LeaderTask(LeaderWork work, Optional<Instant> since, OnLost onLost, @Nullable LeaderTask outer) {
		this.work = work;
		this.since = since;
		this.onLost = onLost;
		this.outer = outer;
	}

	LeaderWork work() {
		return this.work;
	}

	OnLost onLost() {
		return this.onLost;
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
	 * Give the role to the next one, if the leadership goes on in which the task began.
	 * Nobody waits for what its thread is doing.
	 */
	boolean stepDown() {
		if (!isLeader()) {
			return false;
		}
		for (LeaderTask around = this.outer; around != null; around = around.outer) {
			around.resign();
		}
		boolean yielded = this.work.yield();
		if (yielded) {
			this.resigned = true;
		}
		return yielded;
	}

	/**
	 * Return whether leadership has been lost since the task began.
	 */
	boolean isLost() {
		return !this.resigned && !isLeader();
	}

	/**
	 * Return whether leadership has been lost, and whoever began the task wants to know.
	 */
	boolean isToldOfLoss() {
		return this.onLost != OnLost.IGNORE && isLost();
	}

	/**
	 * Interrupt the thread, if that is wanted, when leadership is lost before
	 * {@link #endInterrupts()}.
	 */
	void beginInterrupts() {
		if (this.onLost == OnLost.INTERRUPT) {
			LossInterrupt sent = new LossInterrupt();
			this.interrupt = sent;
			this.work.onLost(sent);
		}
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
