package io.github.zklock.autoconfigure;

import java.net.InetAddress;
import java.util.regex.Pattern;

import io.github.zklock.LockContender;
import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockInspector;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What an application calls itself and its root.
 */
class InstanceConfigurationTests extends ServerTestSupport {

	private static final String LONG = "x".repeat(300);

	InstanceConfigurationTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@ParameterizedTest
	@ValueSource(strings = { "zookeeper", "local" })
	void instanceHasItsName(String type) {
		runner().withPropertyValues("zk.lock.type=" + type, "zk.lock.instance=http://shop-1:8080").run((context) -> {
			context.getBean(LockRegistry.class).lock("name").lock();
			assertThat(context.getBean(LockInspector.class).queue("name"))
				.extracting(LockContender::instance, LockContender::origin)
				.containsExactly(tuple("http://shop-1:8080", Origin.SELF));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "zookeeper", "local" })
	void nameIsMadeOfApplicationAndHostByDefault(String type) throws Exception {
		String host = InetAddress.getLocalHost().getHostName();
		runner()
			.withPropertyValues("zk.lock.type=" + type, "zk.lock.instance=", "spring.application.name=shop of shops")
			.run((context) -> {
				context.getBean(LockRegistry.class).lock("name").lock();
				assertThat(context.getBean(LockInspector.class).queue("name")).singleElement()
					.extracting(LockContender::instance)
					.asString()
					.matches("shop of shops-" + Pattern.quote(host) + "-[0-9a-f]{8}");
			});
	}

	@Test
	void applicationWithoutANameHasThatOfItsHost() throws Exception {
		String host = InetAddress.getLocalHost().getHostName();
		runner().run((context) -> assertThat(context.getBean(ZooKeeperClient.class).instance())
			.matches(Pattern.quote(host) + "-[0-9a-f]{8}"));
	}

	@ParameterizedTest
	@CsvSource({ "x, 300, host, 1", "x, 1, host, 100", "\u20ac, 100, \u20ac, 100",
			"\ud83d\ude00, 1, \ud83d\ude00, 300" })
	void longNamesOfApplicationsAndHostsAreCut(String application, int times, String host, int hostTimes) {
		String name = InstanceName.next(application.repeat(times), host.repeat(hostTimes));
		assertThat(LockNames.segment(name).length()).isLessThanOrEqualTo(100);
		assertThat(name).startsWith(application).contains("-" + host).matches("(?s).*-[0-9a-f]{8}");
		runner().withPropertyValues("spring.application.name=" + application.repeat(times))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void clientKnowsTheName() {
		runner().withPropertyValues("zk.lock.instance=shop-1")
			.run((context) -> assertThat(context.getBean(ZooKeeperClient.class).instance()).isEqualTo("shop-1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zookeeper", "local" })
	void longValuesAreNamed(String type) {
		runner().withPropertyValues("zk.lock.type=" + type, "zk.lock.instance=" + "x".repeat(101))
			.run((context) -> assertThat(Failures.textOf(context)).contains("'zk.lock.instance'", "100 bytes"));
		runner().withPropertyValues("zk.lock.type=" + type, "zk.lock.root=/" + "x".repeat(1024))
			.run((context) -> assertThat(Failures.textOf(context)).contains("'zk.lock.root'", "1024", "1025"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zookeeper", "local" })
	void inspectorFindsSegments(String type) {
		runner().withPropertyValues("zk.lock.type=" + type).run((context) -> {
			LockInspector inspector = context.getBean(LockInspector.class);
			String segment = LockNames.segment(LONG);
			context.getBean(LockRegistry.class).lock(LONG).acquire();
			assertThat(inspector.queueOfSegment(segment)).hasSize(1);
			assertThat(inspector.queueOfRoleSegment(segment)).isEmpty();
			assertThat(inspector.breakSegment(segment)).isTrue();
			assertThat(inspector.queueOfSegment(segment)).isEmpty();
		});
	}

	@Test
	void messagesOfAStoppedApplicationAreHarmless() {
		String name = "x\n" + LONG;
		runner().run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			context.getSourceApplicationContext(ConfigurableApplicationContext.class).stop();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(registry.lock(name)::lock)
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo(name))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(UnavailableReason.CLOSED))
				.satisfies((ex) -> assertThat(ex.getMessage())
					.contains("'x\\nx", "ZooKeeper (" + connectString() + ")", "zk.lock.shutdown.wait")
					.hasSizeLessThan(500));
			assertThatIllegalArgumentException().isThrownBy(() -> registry.lock(name + "\ud800"))
				.satisfies((ex) -> assertThat(ex.getMessage()).contains("'x\\nx").hasSizeLessThan(400));
			assertThat(registry.lock(name).toString() + registry.election(name)).doesNotContain("\n")
				.hasSizeLessThan(800);
		});
	}

}
