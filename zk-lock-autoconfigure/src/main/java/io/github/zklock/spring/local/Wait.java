package io.github.zklock.spring.local;

import java.time.Duration;

/**
 * How long somebody waits, and since when. By the nano clock.
 */
final class Wait {

	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

	private final long start = System.nanoTime();

	private final long nanos;

	private Wait(long nanos) {
		this.nanos = nanos;
	}

	static Wait forever() {
		return ofNanos(Long.MAX_VALUE);
	}

	static Wait ofNanos(long nanos) {
		return new Wait(Math.min(nanos, LONGEST.toNanos()));
	}

	static Wait of(Duration duration) {
		return ofNanos(toNanos(duration));
	}

	/**
	 * Return a duration in nanoseconds, or more than a hundred years if it is longer.
	 */
	static long toNanos(Duration duration) {
		return (duration.compareTo(LONGEST) < 0) ? duration.toNanos() : LONGEST.toNanos();
	}

	/**
	 * Return whether it is worth queueing.
	 */
	boolean isPatient() {
		return this.nanos > 0;
	}

	long remaining() {
		return this.nanos - (System.nanoTime() - this.start);
	}

	boolean isOver() {
		return remaining() <= 0;
	}

	Duration waited() {
		return Duration.ofNanos(System.nanoTime() - this.start);
	}

}
