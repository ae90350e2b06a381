package io.github.zklock.autoconfigure;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestClassOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.ContextConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Test classes of which every other one has the same application: Spring keeps it, and
 * pauses it while another one is used.
 */
@EmbeddedZooKeeperTest
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
class CachedContextTests {

	// The applications that were used, in this order
	private static final Map<ConfigurableApplicationContext, Set<Long>> used = new LinkedHashMap<>();

	private static String address;

	private static EmbeddedZooKeeper zooKeeper;

	@BeforeAll
	static void rememberServer(EmbeddedZooKeeper server, @ConnectString String connectString) {
		zooKeeper = server;
		address = connectString;
	}

	@AfterAll
	static void closeAll() {
		used.keySet().forEach(ConfigurableApplicationContext::close);
		used.clear();
		assertThat(zooKeeper.view().sessions()).isEmpty();
	}

	/**
	 * Lock and lead, in a session that no other application has had.
	 */
	private static void use(ConfigurableApplicationContext context, Jobs jobs) {
		assertThat(jobs.lock()).isTrue();
		await().atMost(ServerTestSupport.PATIENCE).untilAsserted(() -> assertThat(jobs.lead()).isTrue());
		Set<Long> sessions = zooKeeper.view().sessions();
		assertThat(sessions).as("one application has a session").hasSize(1);
		assertThat(used.values()).noneMatch((earlier) -> earlier.containsAll(sessions));
		used.computeIfAbsent(context, (key) -> new HashSet<>()).addAll(sessions);
	}

	@Nested
	@Order(1)
	@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.NONE)
	@ContextConfiguration(initializers = Server.class)
	class FirstClass {

		@Test
		void worksAtFirst(@Autowired ConfigurableApplicationContext context, @Autowired Jobs jobs) {
			use(context, jobs);
			assertThat(used).hasSize(1);
		}

	}

	@Nested
	@Order(2)
	@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.NONE, properties = "other=true")
	@ContextConfiguration(initializers = Server.class)
	class SecondClass {

		@Test
		void worksWhileTheOtherIsPaused(@Autowired ConfigurableApplicationContext context, @Autowired Jobs jobs) {
			assertThat(firstOf(used)).isNotSameAs(context).matches((first) -> !first.isRunning());
			use(context, jobs);
			assertThat(used).hasSize(2);
		}

	}

	@Nested
	@Order(3)
	@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.NONE)
	@ContextConfiguration(initializers = Server.class)
	class ThirdClass {

		@Test
		void worksAgain(@Autowired ConfigurableApplicationContext context, @Autowired Jobs jobs) {
			assertThat(firstOf(used)).isSameAs(context);
			use(context, jobs);
			assertThat(used).hasSize(2);
		}

	}

	private static ConfigurableApplicationContext firstOf(Map<ConfigurableApplicationContext, ?> contexts) {
		return List.copyOf(contexts.keySet()).get(0);
	}

	static class Server implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			TestPropertyValues
				.of("zk.lock.connect-string=" + address, "zk.lock.max-wait=" + ServerTestSupport.PATIENCE,
						"spring.application.name=shop")
				.applyTo(context);
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
	static class Application {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		@DistributedLock("job")
		public boolean lock() {
			return CurrentLock.lease("job").isHeld();
		}

		@LeaderOnly
		public @Nullable Boolean lead() {
			return true;
		}

	}

}
