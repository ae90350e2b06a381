package io.github.zklock.spring.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.leader.Leadership;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications that are closed in the end, and threads.
 */
@EmbeddedZooKeeperTest
@Timeout(300)
abstract class LeaderTestSupport {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	static final String ROLE = "orders";

	private final String connectString;

	private final List<AutoCloseable> resources = new ArrayList<>();

	private final ExecutorService callers = Executors.newCachedThreadPool();

	LeaderTestSupport(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@AfterEach
	void closeAll() throws Exception {
		this.callers.shutdownNow();
		for (int index = this.resources.size() - 1; index >= 0; index--) {
			this.resources.get(index).close();
		}
	}

	/**
	 * Start an application that waits long for the work of a leader, unless a property
	 * says otherwise.
	 */
	TestApplication application(String... properties) {
		return application((context) -> {
		}, properties);
	}

	TestApplication application(Class<?> configuration, String... properties) {
		return application((context) -> context.register(configuration), properties);
	}

	TestApplication application(Consumer<AnnotationConfigApplicationContext> configuration, String... properties) {
		TestApplication application = new TestApplication(this.connectString, configuration, properties);
		this.resources.add(application);
		return application;
	}

	/**
	 * Start an application that leads and has heard of it.
	 */
	TestApplication leader(String... properties) {
		TestApplication application = application(properties);
		awaitLeader(application.leadership(ROLE));
		awaitEvents(application, "granted orders, leads");
		return application;
	}

	/**
	 * Start an application that takes part after others.
	 */
	TestApplication follower(TestApplication leader, String... properties) {
		int others = leader.participants(ROLE).size();
		TestApplication application = application(properties);
		application.leadership(ROLE);
		awaitParticipants(leader, ROLE, others + 1);
		return application;
	}

	static void awaitLeader(Leadership leadership) {
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(leadership::isLeader);
	}

	static void awaitNotLeader(Leadership leadership) {
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> !leadership.isLeader());
	}

	static void awaitParticipants(TestApplication asked, String role, int count) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(asked.participants(role)).hasSize(count));
	}

	static void awaitEvents(TestApplication application, String... events) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(application.heard().events()).containsExactly(events));
	}

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

	CompletableFuture<Void> run(Runnable task) {
		return call(() -> {
			task.run();
			return null;
		});
	}

	/**
	 * Return a result that may need many steps to be there.
	 */
	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(4 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

}
