package io.github.zklock.spring.local;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which users are called: listeners, loss actions and what hangs on
 * futures. As many as are needed, so that none of them can hold up another; they end by
 * themselves.
 */
final class UserThreads implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(UserThreads.class);

	private final ThreadPoolExecutor pool;

	UserThreads(ThreadFactory threads) {
		this.pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				threads);
	}

	@Override
	public void execute(Runnable task) {
		this.pool.execute(() -> run(task));
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
		return inOrderAfter(CompletableFuture.completedFuture(null));
	}

	/**
	 * Return an executor that runs its tasks one after the other, and none before
	 * something else has happened.
	 */
	Executor inOrderAfter(CompletableFuture<?> start) {
		return new InOrder(start);
	}

	/**
	 * Keep no idle threads any more. What is still to be done will be.
	 */
	void close() {
		this.pool.setKeepAliveTime(0, TimeUnit.SECONDS);
	}

	private final class InOrder implements Executor {

		private CompletableFuture<?> last;

		InOrder(CompletableFuture<?> start) {
			this.last = start;
		}

		@Override
		public synchronized void execute(Runnable task) {
			this.last = this.last.handleAsync((result, failure) -> {
				UserThreads.run(task);
				return true;
			}, UserThreads.this.pool);
		}

	}

}
