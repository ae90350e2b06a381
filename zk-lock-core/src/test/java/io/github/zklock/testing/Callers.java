package io.github.zklock.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

import org.jspecify.annotations.Nullable;

/**
 * Threads that call what is tested, as many as there are calls. Closing interrupts those
 * that still do.
 */
public final class Callers implements Executor, AutoCloseable {

	private final ExecutorService threads;

	public Callers() {
		this(Executors.defaultThreadFactory());
	}

	/**
	 * Make callers whose threads all have one name.
	 */
	public Callers(String threadName) {
		this((task) -> new Thread(task, threadName));
	}

	private Callers(ThreadFactory threadFactory) {
		this.threads = Executors.newCachedThreadPool(threadFactory);
	}

	/**
	 * Call something on a thread of somebody else.
	 */
	public static <T extends @Nullable Object> CompletableFuture<T> call(Executor executor, Callable<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		executor.execute(() -> {
			try {
				result.complete(task.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

	/**
	 * Call something on another thread.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> call(Callable<T> task) {
		return call(this.threads, task);
	}

	/**
	 * Do something on another thread.
	 */
	public CompletableFuture<Boolean> run(Task task) {
		return call(() -> {
			task.run();
			return true;
		});
	}

	@Override
	public void execute(Runnable task) {
		this.threads.execute(task);
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

	/**
	 * Something to do that may fail.
	 */
	public interface Task {

		void run() throws Exception;

	}

}
