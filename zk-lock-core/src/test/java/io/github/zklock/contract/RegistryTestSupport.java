package io.github.zklock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.LockInspector;
import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.testing.CallerTestSupport;
import org.junit.jupiter.api.AfterEach;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registries that are closed in the end, and threads for callers.
 */
abstract class RegistryTestSupport extends CallerTestSupport {

	private final List<AutoCloseable> registries = new ArrayList<>();

	/**
	 * Make a registry that nobody else uses, is also a {@link LockInspector} and
	 * {@link AutoCloseable}, and closes without waiting for holders.
	 */
	abstract LockRegistry create(Duration handOverWait, List<LockListener> listeners);

	@AfterEach
	void closeAll() throws Exception {
		this.callers.close();
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

	static void awaitWaiting(LockRegistry registry, int count) {
		awaitClosely().untilAsserted(() -> assertThat(inspector(registry).waiting()).hasSize(count));
	}

}
