package io.github.zklock.zookeeper;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on ZooKeeper's answers and on timers, one after the other, in order. It has a
 * thread of its own; ZooKeeper's event thread may lend its own instead, which saves the
 * change of threads on the way from an answer to the caller who waits for it. User code
 * never runs here. After the end, tasks are dropped.
 */
final class EventLoop {

	private static final Logger logger = LoggerFactory.getLogger(EventLoop.class);

	private static final long SHORTEST_BACK_OFF_MILLIS = 100;

	private static final long LONGEST_BACK_OFF_MILLIS = 1_000;

	private final ScheduledThreadPoolExecutor executor;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	// Whoever makes it one works until it is zero again
	private final AtomicInteger pending = new AtomicInteger();

	private volatile boolean started;

	private volatile boolean closed;

	EventLoop(String name) {
		this.executor = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, name);
			thread.setDaemon(true);
			return thread;
		});
		this.executor.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Run a task on the own thread.
	 */
	void execute(Runnable task) {
		if (this.closed) {
			return;
		}
		start();
		this.tasks.add(task);
		if (this.pending.getAndIncrement() == 0) {
			schedule(0, this::drain);
		}
	}

	/**
	 * Have the thread before anything depends on it: there may be none to be had.
	 */
	private void start() {
		if (!this.started) {
			this.executor.prestartCoreThread();
			this.started = true;
		}
	}

	/**
	 * Run a task on the current thread, which must hold no monitor, unless another one is
	 * at work.
	 */
	void executeHere(Runnable task) {
		this.tasks.add(task);
		if (this.pending.getAndIncrement() == 0) {
			drain();
		}
	}

	private void drain() {
		int left;
		do {
			try {
				Runnable task = this.tasks.poll();
				if (task != null && !this.closed) {
					run(task);
				}
			}
			finally {
				// whatever comes, or nobody works any more
				left = this.pending.decrementAndGet();
			}
		}
		while (left > 0);
	}

	/**
	 * Run a task later.
	 * @return cancels the task
	 */
	Future<?> schedule(Runnable task, long nanos) {
		start();
		return schedule(nanos, () -> executeHere(task));
	}

	private Future<?> schedule(long nanos, Runnable task) {
		try {
			return this.executor.schedule(task, nanos, TimeUnit.NANOSECONDS);
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

	/**
	 * Run a task whose failure must not keep others from being run.
	 */
	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			failed("in the lock protocol", ex);
		}
	}

	/**
	 * Say that something has failed that should not. Never fails itself.
	 * @param what what has failed
	 */
	static void failed(String what, Throwable failure) {
		try {
			logger.error("Unexpected failure {}", what, failure);
		}
		catch (Throwable ex) {
			// There may be no memory even for that
		}
	}

	void close() {
		this.closed = true;
		this.executor.shutdownNow();
	}

}
