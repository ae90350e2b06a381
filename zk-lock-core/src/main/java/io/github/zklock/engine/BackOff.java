package io.github.zklock.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before something that has failed is tried again: not at all the first
 * time, then a tenth of a second, twice as long each time, and at last five seconds. Each
 * pause is shortened by up to one half, at random, so that those who failed together do
 * not come back together. Thread-safe.
 */
final class BackOff {

	static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(100);

	static final long LONGEST = TimeUnit.SECONDS.toNanos(5);

	private static final int MOST_DOUBLINGS = 6;

	private final DoubleSupplier random;

	private int failures;

	/**
	 * Create a back-off.
	 * @param random gives numbers from 0 to 1
	 */
	BackOff(DoubleSupplier random) {
		this.random = random;
	}

	/**
	 * It has failed.
	 * @return how many nanoseconds to wait
	 */
	synchronized long next() {
		this.failures = Math.min(this.failures, Integer.MAX_VALUE - 1) + 1;
		if (this.failures == 1) {
			return 0;
		}
		long pause = Math.min(LONGEST, SHORTEST << Math.min(this.failures - 2, MOST_DOUBLINGS));
		return pause - (long) (pause * this.random.getAsDouble() / 2);
	}

	/**
	 * Return how often it has failed in a row.
	 */
	synchronized int failures() {
		return this.failures;
	}

	/**
	 * It has not failed.
	 */
	synchronized void reset() {
		this.failures = 0;
	}

}
