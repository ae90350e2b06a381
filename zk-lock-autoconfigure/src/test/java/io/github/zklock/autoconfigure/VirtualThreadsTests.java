package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.spring.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks on the threads that {@code spring.threads.virtual.enabled} gives: virtual ones
 * where the JDK has them, others elsewhere.
 */
@EmbeddedZooKeeperTest
class VirtualThreadsTests {

	private static final int CALLS = 500;

	@Test
	void manyCallsExcludeEachOther(@ConnectString String connectString) throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties("zk.lock.connect-string=" + connectString, "spring.threads.virtual.enabled=true",
					"zk.lock.max-wait=" + Duration.ofSeconds(200))
			.run()) {
			Counter counter = context.getBean(Counter.class);
			AsyncTaskExecutor executor = context.getBean(AsyncTaskExecutor.class);
			CompletableFuture<?>[] calls = IntStream.range(0, CALLS)
				.mapToObj((index) -> (index % 2 == 0) ? counter.addLater()
						: CompletableFuture.runAsync(counter::add, executor))
				.toArray(CompletableFuture<?>[]::new);
			CompletableFuture.allOf(calls).get(240, TimeUnit.SECONDS);
			assertThat(counter.count()).isEqualTo(CALLS);
			assertThat(counter.isVirtual()).isEqualTo(Runtime.version().feature() >= 21);
		}
	}

	static class Counter {

		// not volatile and not atomic: the lock has to do
		private int count;

		private volatile boolean virtual;

		@DistributedLock("counter")
		public void add() {
			int before = this.count;
			LockSupport.parkNanos(1);
			this.count = before + 1;
			this.virtual = Thread.currentThread().getClass().getSimpleName().contains("Virtual");
		}

		@Async
		@DistributedLock("counter")
		public CompletableFuture<Integer> addLater() {
			int before = this.count;
			LockSupport.parkNanos(1);
			this.count = before + 1;
			return CompletableFuture.completedFuture(this.count);
		}

		int count() {
			return this.count;
		}

		boolean isVirtual() {
			return this.virtual;
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	@EnableAsync
	static class Application {

		@Bean
		Counter counter() {
			return new Counter();
		}

	}

}
