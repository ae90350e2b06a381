package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Time that does not overflow, and waits that do not fail.
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

	/**
	 * Wait for a future that never fails. An interrupt is kept for later.
	 */
	static void awaitQuietly(CompletableFuture<?> future) {
		boolean interrupted = false;
		while (true) {
			try {
				future.get();
				break;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex.getCause());
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
