package io.github.zklock.testing;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * How long tests wait for what must happen. {@code -Dzklock.patience=2} makes it twice as
 * long, for machines that are slow or busy.
 */
public final class Patience {

	/**
	 * How long one step may take.
	 */
	public static final Duration PATIENCE = Duration
		.ofMillis(Math.round(60_000 * Double.parseDouble(System.getProperty("zklock.patience", "1"))));

	private static final Duration CLOSELY = Duration.ofMillis(2);

	private Patience() {
	}

	/**
	 * Return a result that may need many steps to be there.
	 */
	public static <T extends @Nullable Object> T get(Future<T> future)
			throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Wait for a latch, and return whether it is open.
	 */
	public static boolean await(CountDownLatch latch) throws InterruptedException {
		return latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Return what comes next, or null if nothing comes.
	 */
	public static <T> @Nullable T poll(BlockingQueue<T> queue) throws InterruptedException {
		return queue.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Wait for a condition, and look at it every other millisecond.
	 */
	public static ConditionFactory awaitClosely() {
		return Awaitility.await().atMost(PATIENCE).pollInterval(CLOSELY);
	}

}
