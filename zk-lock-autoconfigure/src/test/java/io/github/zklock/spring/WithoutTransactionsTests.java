package io.github.zklock.spring;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

import io.github.zklock.LockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application without spring-tx.
 */
class WithoutTransactionsTests {

	@Test
	void locksWork() throws Exception {
		ClassLoader loader = new WithoutTransactions();
		assertThatExceptionOfType(ClassNotFoundException.class)
			.isThrownBy(() -> loader.loadClass("org.springframework.transaction.TransactionManager"));
		Class<?> type = loader.loadClass(Application.class.getName());
		assertThat(type).isNotEqualTo(Application.class);
		Object application = type.getConstructor(LockRegistry.class).newInstance(new FakeLocks());
		assertThat(((Callable<?>) application).call()).isEqualTo("done");
	}

	/**
	 * What an application does with locks, with one that is lost.
	 */
	public static class Application implements Callable<String> {

		private final LockTemplate template;

		public Application(LockRegistry registry) {
			Executor executor = Runnable::run;
			this.template = new LockTemplate(registry, Duration.ofSeconds(1), executor);
		}

		@Override
		public String call() {
			return this.template.execute(LockOptions.of("a").onLost(OnLost.INTERRUPT), () -> {
				CurrentLock.assertHeld("a");
				return this.template.execute("a", () -> "done");
			});
		}

	}

	/**
	 * Loads the classes of this package anew, and none of spring-tx.
	 */
	private static final class WithoutTransactions extends ClassLoader {

		WithoutTransactions() {
			super(WithoutTransactionsTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("org.springframework.transaction.")) {
				throw new ClassNotFoundException(name);
			}
			if (!name.startsWith("io.github.zklock.spring.")) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : define(name);
			}
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream stream = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (stream == null) {
					throw new ClassNotFoundException(name);
				}
				byte[] bytes = stream.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
