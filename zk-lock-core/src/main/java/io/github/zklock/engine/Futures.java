package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Waits for futures. A thread of the common pool that waits by the future itself would
 * run other tasks meanwhile, and these would enter the locks that the thread holds.
 */
final class Futures {

	private static final long FOREVER = Long.MAX_VALUE;

	private Futures() {
	}

	/**
	 * Wait for a future that never fails. An interrupt is kept for later.
	 */
	static void awaitQuietly(Platform platform, CompletableFuture<?> future) {
		awaitQuietly(platform, future, () -> {
		});
	}

	/**
	 * Wait for a future that never fails. An interrupt is kept for later.
	 * @param onInterrupt what an interrupt does instead of ending the wait
	 */
	static void awaitQuietly(Platform platform, CompletableFuture<?> future, Runnable onInterrupt) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					await(platform, future, FOREVER);
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
	static void awaitQuietly(Platform platform, CompletableFuture<?> future, long nanos) {
		try {
			await(platform, future, nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Wait for what comes of a future.
	 */
	static <T> T get(Platform platform, CompletableFuture<T> future, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		if (!await(platform, future, nanos)) {
			throw new TimeoutException();
		}
		return future.get();
	}

	private static boolean await(Platform platform, CompletableFuture<?> future, long nanos)
			throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (future.isDone()) {
			return true;
		}
		long start = platform.nanoTime();
		Thread waiter = Thread.currentThread();
		future.whenComplete((value, failure) -> platform.unpark(waiter));
		while (!future.isDone()) {
			long remaining = (nanos != FOREVER) ? nanos - (platform.nanoTime() - start) : FOREVER;
			if (remaining <= 0) {
				return false;
			}
			platform.park(future, remaining);
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
		}
		return true;
	}

}
