package io.github.zklock.spring.leader;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.leader.Leadership;
import io.github.zklock.testing.CallerTestSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that are closed in the end, and threads.
 */
@EmbeddedZooKeeperTest
@Timeout(300)
abstract class LeaderTestSupport extends CallerTestSupport {

	static final String ROLE = "orders";

	private final String connectString;

	private final List<AutoCloseable> resources = new ArrayList<>();

	LeaderTestSupport(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@AfterEach
	void closeAll() throws Exception {
		this.callers.close();
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
		awaitClosely().until(leadership::isLeader);
	}

	static void awaitNotLeader(Leadership leadership) {
		awaitClosely().until(() -> !leadership.isLeader());
	}

	static void awaitParticipants(TestApplication asked, String role, int count) {
		awaitClosely().untilAsserted(() -> assertThat(asked.participants(role)).hasSize(count));
	}

	static void awaitEvents(TestApplication application, String... events) {
		awaitClosely().untilAsserted(() -> assertThat(application.heard().events()).containsExactly(events));
	}

}
