package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/**
 * How long a session may believe that it lives. It ends half a session timeout after the
 * sending of the last operation that the leader has acknowledged; the leader cannot
 * expire the session before that.
 *
 * <p>
 * A lease has terms. Whoever first sees that the time is over ends the term, for good: a
 * later acknowledgement begins a new one, and what was granted in the old term stays
 * lost. Thread-safe.
 */
final class Lease {

	static final int NONE = -1;

	private final LongSupplier clock;

	private final IntConsumer onEnd;

	private long duration = Long.MAX_VALUE / 4;

	private long acknowledged;

	private long notBefore;

	private boolean running;

	private boolean dead;

	// Written after the term and read before it: who reads a prolonged end also sees
	// that the old term is over
	private volatile long end;

	private volatile int term;

	/**
	 * Create a lease that has not begun.
	 * @param clock the time, as {@link System#nanoTime()}
	 * @param onEnd told the number of a term that has ended, by the thread that noticed
	 */
	Lease(LongSupplier clock, IntConsumer onEnd) {
		this.clock = clock;
		this.onEnd = onEnd;
		this.end = clock.getAsLong();
		this.notBefore = Long.MIN_VALUE / 2 + this.end;
	}

	/**
	 * Take note of the session's timeout. Only the shortest ever counts.
	 */
	void timeout(Duration sessionTimeout) {
		synchronized (this) {
			this.duration = Math.min(this.duration, sessionTimeout.toNanos() / 2);
			if (this.running) {
				this.end = this.acknowledged + this.duration;
			}
		}
		check();
	}

	/**
	 * Take note that the leader has executed an operation of this session.
	 * @param sent when the operation was sent
	 */
	void acknowledge(long sent) {
		int ended = NONE;
		synchronized (this) {
			long now = this.clock.getAsLong();
			if (this.running && now - this.end >= 0) {
				ended = endTerm();
			}
			long newEnd = sent + this.duration;
			boolean tooOld = newEnd - now <= 0 || sent - this.notBefore < 0 || (this.running && newEnd - this.end <= 0);
			if (!this.dead && !tooOld) {
				this.acknowledged = sent;
				this.running = true;
				this.end = newEnd;
			}
		}
		tell(ended);
	}

	/**
	 * Return the current term, or {@link #NONE} if the lease is over.
	 */
	int currentTerm() {
		int current = this.term;
		return isValid(current) ? current : NONE;
	}

	/**
	 * Return whether a term goes on.
	 */
	boolean isValid(int term) {
		long end = this.end;
		if (this.clock.getAsLong() - end < 0) {
			return this.term == term;
		}
		// It has been seen to be over, even if it is prolonged at this very moment
		int ended = NONE;
		synchronized (this) {
			if (this.running && this.term == term) {
				ended = endTerm();
			}
		}
		tell(ended);
		return false;
	}

	/**
	 * Return how long the lease goes on, in nanoseconds.
	 */
	long remaining() {
		return Math.max(0, this.end - this.clock.getAsLong());
	}

	/**
	 * End the term if its time is over.
	 */
	void check() {
		int ended = NONE;
		synchronized (this) {
			if (this.running && this.clock.getAsLong() - this.end >= 0) {
				ended = endTerm();
			}
		}
		tell(ended);
	}

	/**
	 * End the term although its time is not over. What was sent before counts no more.
	 */
	void lapse() {
		int ended = NONE;
		synchronized (this) {
			this.notBefore = this.clock.getAsLong();
			if (this.running) {
				ended = endTerm();
			}
		}
		tell(ended);
	}

	private void tell(int ended) {
		if (ended != NONE) {
			this.onEnd.accept(ended);
		}
	}

	/**
	 * End the lease for good.
	 */
	void kill() {
		synchronized (this) {
			this.dead = true;
		}
		lapse();
	}

	private int endTerm() {
		int ended = this.term;
		this.running = false;
		this.term = ended + 1;
		this.end = this.clock.getAsLong();
		return ended;
	}

}
