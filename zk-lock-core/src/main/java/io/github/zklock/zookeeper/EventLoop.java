package io.github.zklock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread on which ZooKeeper's answers and timers are worked on, in order. User
 * code never runs here. After the end, tasks are dropped.
 */
final class EventLoop {

	private static final Logger logger = LoggerFactory.getLogger(EventLoop.class);

	private static final long SHORTEST_BACK_OFF_MILLIS = 100;

	private static final long LONGEST_BACK_OFF_MILLIS = 1_000;

	private final ScheduledThreadPoolExecutor executor;

	private volatile boolean closed;

	EventLoop(String name) {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			return thread;
		});
		this.executor.setRemoveOnCancelPolicy(true);
	}

	void execute(Runnable task) {
		schedule(task, 0);
	}

	/**
	 * Run a task later.
	 * @return cancels the task
	 */
	Future<?> schedule(Runnable task, long nanos) {
		try {
			return this.executor.schedule(() -> runUnlessClosed(task), nanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * Run a task after a random pause between a tenth of a second and a second.
	 */
	void backOff(Runnable task) {
		long millis = ThreadLocalRandom.current().nextLong(SHORTEST_BACK_OFF_MILLIS, LONGEST_BACK_OFF_MILLIS);
		schedule(task, TimeUnit.MILLISECONDS.toNanos(millis));
	}

	private void runUnlessClosed(Runnable task) {
		if (!this.closed) {
			run(task);
		}
	}

	/**
	 * Run a task whose failure must not keep others from being run.
	 */
	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("Unexpected failure in the lock protocol", ex);
		}
	}

	void close() {
		this.closed = true;
		this.executor.shutdownNow();
	}

}
