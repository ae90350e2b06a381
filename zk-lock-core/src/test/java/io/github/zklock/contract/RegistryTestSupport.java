package io.github.zklock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockInspector;
import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Registries that are closed in the end, and threads for callers.
 */
abstract class RegistryTestSupport {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	private final List<AutoCloseable> registries = new ArrayList<>();

	private final ExecutorService callers = Executors.newCachedThreadPool();

	/**
	 * Make a registry that nobody else uses, is also a {@link LockInspector} and
	 * {@link AutoCloseable}, and closes without waiting for holders.
	 */
	abstract LockRegistry create(Duration handOverWait, List<LockListener> listeners);

	@AfterEach
	void closeAll() throws Exception {
		this.callers.shutdownNow();
		for (AutoCloseable registry : this.registries) {
			registry.close();
		}
	}

	LockRegistry registry(Duration handOverWait, LockListener... listeners) {
		return closing(create(handOverWait, List.of(listeners)));
	}

	/**
	 * Have a registry closed in the end.
	 */
	LockRegistry closing(LockRegistry registry) {
		this.registries.add((AutoCloseable) registry);
		return registry;
	}

	static LockInspector inspector(LockRegistry registry) {
		return (LockInspector) registry;
	}

	static void close(LockRegistry registry) throws Exception {
		((AutoCloseable) registry).close();
	}

	/**
	 * Call something on another thread.
	 */
	<T> CompletableFuture<T> call(Callable<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.callers.execute(() -> {
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
	 * Do something on another thread.
	 */
	CompletableFuture<Boolean> run(Task task) {
		return call(() -> {
			task.run();
			return true;
		});
	}

	/**
	 * Return a result that may need many steps to be there.
	 */
	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(4 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	static void awaitWaiting(LockRegistry registry, int count) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(inspector(registry).waiting()).hasSize(count));
	}

	interface Task {

		void run() throws Exception;

	}

}
