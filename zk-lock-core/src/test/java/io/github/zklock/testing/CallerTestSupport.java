package io.github.zklock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * What tests need that call something on other threads and wait for it. Those that extend
 * it close the callers after each test, and before whatever these may be waiting for.
 */
public abstract class CallerTestSupport {

	public static final Duration PATIENCE = Patience.PATIENCE;

	protected final Callers callers;

	protected CallerTestSupport() {
		this(new Callers());
	}

	protected CallerTestSupport(Callers callers) {
		this.callers = callers;
	}

	protected <T extends @Nullable Object> CompletableFuture<T> call(Callable<T> task) {
		return this.callers.call(task);
	}

	protected CompletableFuture<Boolean> run(Callers.Task task) {
		return this.callers.run(task);
	}

	public static <T extends @Nullable Object> T get(Future<T> future)
			throws InterruptedException, ExecutionException, TimeoutException {
		return Patience.get(future);
	}

}
