package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * How long a session may believe that it lives. It ends half a session timeout after the
 * sending of the last operation that the leader has acknowledged; the leader cannot
 * expire the session before that.
 *
 * <p>
 * The nano clock stands still while the host sleeps, and the servers' does not. So the
 * wall clock is looked at as well: the lease is also over when that is ahead of the
 * sending by five eighths of a session timeout, which leaves an eighth for clocks that
 * are being set right. A wall clock that is set back changes nothing.
 *
 * <p>
 * A lease has terms. Whoever first sees that the time is over ends the term, for good: a
 * later acknowledgement begins a new one, and what was granted in the old term stays
 * lost. Thread-safe.
 *
 * <p>
 * Whatever the promise rests on is in this one class.
 */
final class Lease {

	static final int NONE = -1;

	// There may be no memory for it when it is needed
	private static final Span ENDED = new Span(Integer.MAX_VALUE, 0, Long.MIN_VALUE);

	private final LongSupplier nanoClock;

	private final LongSupplier wallClock;

	private final IntConsumer onEnd;

	private long duration = Long.MAX_VALUE / 4;

	private long acknowledged;

	private long acknowledgedWall;

	private boolean running;

	private boolean endedForGood;

	// Written before the term
	private volatile @Nullable End lastEnd;

	// Its parts are replaced together, under the monitor, and its term only grows: who
	// has seen a term sees no earlier one
	private volatile Span span;

	/**
	 * Create a lease that has not begun.
	 * @param nanoClock the time, as {@link System#nanoTime()}
	 * @param wallClock the time, as {@link System#currentTimeMillis()}
	 * @param onEnd told of a term that has ended, by the thread that noticed
	 */
	Lease(LongSupplier nanoClock, LongSupplier wallClock, IntConsumer onEnd) {
		this.nanoClock = nanoClock;
		this.wallClock = wallClock;
		this.onEnd = onEnd;
		this.span = new Span(0, nanoClock.getAsLong(), Long.MAX_VALUE);
	}

	/**
	 * Take note of the session's timeout. Only the shortest ever counts.
	 */
	void timeout(Duration sessionTimeout) {
		synchronized (this) {
			this.duration = Math.min(this.duration, sessionTimeout.toNanos() / 2);
			if (this.running) {
				setEnd();
			}
		}
		check();
	}

	private void setEnd() {
		this.span = new Span(this.span.term(), this.acknowledged + this.duration,
				this.acknowledgedWall + toMillis(this.duration + this.duration / 4));
	}

	private static long toMillis(long nanos) {
		return TimeUnit.NANOSECONDS.toMillis(nanos);
	}

	/**
	 * Take note that the leader has executed an operation of this session. If it was sent
	 * too long ago by either clock it does not count, and the term is over: an answer
	 * that has waited while the host slept looks new by the nano clock.
	 * @param sent when the operation was sent, by the nano clock
	 * @param sentWall when the operation was sent, by the wall clock
	 */
	void acknowledge(long sent, long sentWall) {
		End ended;
		synchronized (this) {
			long now = this.nanoClock.getAsLong();
			long wall = this.wallClock.getAsLong();
			ended = endIfOver(now, wall);
			boolean news = !this.endedForGood && !(this.running && sent - this.acknowledged <= 0);
			if (news && isCurrent(now - sent, wall - sentWall)) {
				this.acknowledged = sent;
				this.acknowledgedWall = sentWall;
				this.running = true;
				setEnd();
			}
			else if (news && this.running) {
				ended = endTerm(now - sent, wall - sentWall);
			}
		}
		tell(ended);
	}

	/**
	 * Return whether an acknowledgement is new enough to count. One that begins a term
	 * has to leave an eighth of a session timeout of it, or answers that are always late
	 * would make locks come and go.
	 */
	private boolean isCurrent(long age, long wallAge) {
		if (this.running) {
			return age < this.duration && wallAge <= toMillis(this.duration + this.duration / 4);
		}
		long longest = this.duration - this.duration / 4;
		return age <= longest && wallAge <= toMillis(longest);
	}

	/**
	 * Return the current term, or {@link #NONE} if the lease is over.
	 */
	int currentTerm() {
		int current = this.span.term();
		return isValid(current) ? current : NONE;
	}

	/**
	 * Return whether a term goes on. Once it has been said that it does not, nobody is
	 * told otherwise.
	 */
	boolean isValid(int term) {
		Span seen = this.span;
		if (seen.term() != term) {
			return false;
		}
		// The wall clock last: it has gone on even if the host sleeps in between
		if (!seen.isOver(this.nanoClock.getAsLong(), this.wallClock.getAsLong())) {
			// Somebody may have ended the term since, for another reason
			return this.span.term() == term;
		}
		End ended;
		boolean goesOn;
		synchronized (this) {
			// It may have been prolonged in time while this thread was kept from running
			ended = endIfOver(this.nanoClock.getAsLong(), this.wallClock.getAsLong());
			goesOn = this.running && this.span.term() == term;
		}
		tell(ended);
		return goesOn;
	}

	/**
	 * Return how long the lease goes on by the nano clock, in nanoseconds.
	 */
	long remaining() {
		Span seen = this.span;
		return (seen.term() != ENDED.term()) ? Math.max(0, seen.end() - this.nanoClock.getAsLong()) : 0;
	}

	/**
	 * End the term if its time is over.
	 */
	void check() {
		End ended;
		synchronized (this) {
			ended = endIfOver(this.nanoClock.getAsLong(), this.wallClock.getAsLong());
		}
		tell(ended);
	}

	/**
	 * End the lease for good.
	 */
	void end() {
		boolean ended;
		int term;
		synchronized (this) {
			ended = this.running;
			term = this.span.term();
			this.endedForGood = true;
			this.running = false;
			this.span = ENDED;
		}
		if (ended) {
			this.onEnd.accept(term);
		}
	}

	/**
	 * Return how the last term has ended whose time was over, if there is one.
	 */
	@Nullable End lastEnd() {
		return this.lastEnd;
	}

	private @Nullable End endIfOver(long now, long wall) {
		return (this.running && this.span.isOver(now, wall))
				? endTerm(now - this.acknowledged, wall - this.acknowledgedWall) : null;
	}

	private End endTerm(long age, long wallAge) {
		int ended = this.span.term();
		Span next = new Span(ended + 1, this.nanoClock.getAsLong(), Long.MAX_VALUE);
		End end = new End(ended, toMillis(age), (age < this.duration) ? Math.max(0, wallAge - toMillis(age)) : 0);
		this.running = false;
		this.lastEnd = end;
		this.span = next;
		return end;
	}

	private void tell(@Nullable End ended) {
		if (ended != null) {
			this.onEnd.accept(ended.term());
		}
	}

	/**
	 * A term and its ends.
	 *
	 * @param term the term
	 * @param end the first moment that is not part of it, by the nano clock
	 * @param wallEnd the last moment that is part of it, by the wall clock
	 */
	private record Span(int term, long end, long wallEnd) {

		boolean isOver(long now, long wall) {
			return now - this.end >= 0 || wall > this.wallEnd;
		}

	}

	/**
	 * How a term has ended.
	 *
	 * @param term its number
	 * @param silentMillis how long before that the last acknowledged operation was sent,
	 * by the nano clock
	 * @param sleptMillis by how much the wall clock has outrun the nano clock, if that
	 * has ended the term; otherwise zero
	 */
	record End(int term, long silentMillis, long sleptMillis) {

	}

}
