package io.github.zklock.engine;

import java.time.Instant;

/**
 * Both clocks, read together, to say of moments of the one when they were by the other:
 * read once for many moments, they keep their order.
 *
 * @param nanoTime the time by the clock that nobody sets
 * @param wallTime the time by the wall clock
 */
record ClockReading(long nanoTime, Instant wallTime) {

	static ClockReading of(Platform platform) {
		return new ClockReading(platform.nanoTime(), Instant.ofEpochMilli(platform.currentTimeMillis()));
	}

	/**
	 * Return when a moment was by the wall clock.
	 * @param nanoTime the moment by the other clock
	 */
	Instant wallTimeOf(long nanoTime) {
		return this.wallTime.minusNanos(this.nanoTime - nanoTime);
	}

}
