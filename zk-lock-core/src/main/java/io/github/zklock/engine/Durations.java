package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
		awaitQuietly(future, () -> {
		});
	}

	/**
	 * Wait for a future that never fails. An interrupt is kept for later.
	 * @param onInterrupt what an interrupt does instead of ending the wait
	 */
	static void awaitQuietly(CompletableFuture<?> future, Runnable onInterrupt) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					completionOf(future).await();
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
					onInterrupt.run();
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Wait for a future that never fails, but not for ever. An interrupt ends the wait
	 * and is kept.
	 */
	static void awaitQuietly(CompletableFuture<?> future, long nanos) {
		try {
			boolean unused = completionOf(future).await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Wait for what comes of a future.
	 */
	static <T> T get(CompletableFuture<T> future, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		if (!completionOf(future).await(nanos, TimeUnit.NANOSECONDS)) {
			throw new TimeoutException();
		}
		return future.get();
	}

	/**
	 * Return what to wait for instead of a future: a thread of the common pool would run
	 * other tasks while it waits for the future itself, and these would enter the locks
	 * that the thread holds.
	 */
	private static CountDownLatch completionOf(CompletableFuture<?> future) {
		CountDownLatch complete = new CountDownLatch(1);
		future.whenComplete((value, failure) -> complete.countDown());
		return complete;
	}

}
