package io.github.zklock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Until when a request waits, and since when, by a clock that nobody sets.
 */
final class Deadline {

	private static final long FOREVER = Long.MAX_VALUE;

	/**
	 * The deadline of a request whose caller has what it wants.
	 */
	static final Deadline MET = new Deadline();

	// Null if it is met
	private final @Nullable Platform platform;

	private final long start;

	private final long nanos;

	private final boolean mayQueue;

	private Deadline() {
		this.platform = null;
		this.start = 0;
		this.nanos = 0;
		this.mayQueue = false;
	}

	private Deadline(Platform platform, long nanos, boolean mayQueue) {
		this.platform = platform;
		this.start = platform.nanoTime();
		this.nanos = nanos;
		this.mayQueue = mayQueue;
	}

	static Deadline forever(Platform platform) {
		return new Deadline(platform, FOREVER, true);
	}

	static Deadline ofNanos(Platform platform, long nanos) {
		return new Deadline(platform, nanos, true);
	}

	/**
	 * Wait for an answer of ZooKeeper, but not for the lock.
	 */
	static Deadline forAnAnswer(Platform platform, long nanos) {
		return new Deadline(platform, nanos, false);
	}

	boolean mayQueue() {
		return this.mayQueue;
	}

	boolean isEndless() {
		return this.nanos == FOREVER;
	}

	/**
	 * Return since when the request waits.
	 */
	long start() {
		return this.start;
	}

	long remaining() {
		return isEndless() ? FOREVER : this.nanos - passed();
	}

	private long passed() {
		return (this.platform != null) ? this.platform.nanoTime() - this.start : 0;
	}

	boolean isOver() {
		return remaining() <= 0;
	}

	boolean hasBegunBefore(long nanoTime) {
		return nanoTime - this.start >= 0;
	}

	Duration waited() {
		return Duration.ofNanos(passed());
	}

}
