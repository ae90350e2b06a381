package io.github.zklock.engine;

import java.time.Duration;

/**
 * Durations as nanoseconds that do not overflow.
 */
final class Durations {

	private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

	private Durations() {
	}

	/**
	 * Return a duration in nanoseconds, or some hundred years if it is longer.
	 */
	static long toNanos(Duration duration) {
		return (duration.compareTo(LONGEST) < 0) ? duration.toNanos() : LONGEST.toNanos();
	}

}
