package io.github.zklock.zookeeper;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which users are called: listeners, loss actions and what hangs on
 * futures. As many as are needed, so that none of them can hold up another.
 */
final class UserThreads implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(UserThreads.class);

	private final ThreadPoolExecutor pool;

	private final EventLoop loop;

	UserThreads(String name, EventLoop loop) {
		this.loop = loop;
		AtomicInteger count = new AtomicInteger();
		this.pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, name + "-user-" + count.incrementAndGet());
					thread.setDaemon(true);
					return thread;
				});
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.pool.execute(() -> run(task));
		}
		catch (RejectedExecutionException ex) {
			// closed, but nobody is left in the dark
			this.pool.getThreadFactory().newThread(() -> run(task)).start();
		}
		catch (OutOfMemoryError ex) {
			// no thread is to be had now, but nobody may wait for ever
			logger.error("No thread for a lock's user, trying again", ex);
			this.loop.backOff(() -> execute(task));
		}
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A lock's listener or loss action has failed", ex);
		}
	}

	/**
	 * Return an executor that runs its tasks one after the other.
	 */
	Executor inOrder() {
		return new InOrder();
	}

	/**
	 * End the threads when they have done what they have to do. Does not wait.
	 */
	void close() {
		this.pool.shutdown();
	}

	private final class InOrder implements Executor {

		private final Queue<Runnable> tasks = new ArrayDeque<>();

		private boolean running;

		@Override
		public void execute(Runnable task) {
			synchronized (this.tasks) {
				this.tasks.add(task);
				if (this.running) {
					return;
				}
				this.running = true;
			}
			UserThreads.this.execute(this::drain);
		}

		private void drain() {
			for (Runnable task = next(); task != null; task = next()) {
				UserThreads.run(task);
				// an interrupt is meant for the one who caused it
				Thread.interrupted();
			}
		}

		private @Nullable Runnable next() {
			synchronized (this.tasks) {
				Runnable task = this.tasks.poll();
				this.running = task != null;
				return task;
			}
		}

	}

}
