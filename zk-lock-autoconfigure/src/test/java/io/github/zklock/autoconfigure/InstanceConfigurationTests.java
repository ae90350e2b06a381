package io.github.zklock.autoconfigure;

import io.github.zklock.LockContender;
import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockInspector;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
	void emptyNameIsNone(String type) {
		runner().withPropertyValues("zk.lock.type=" + type, "zk.lock.instance=").run((context) -> {
			context.getBean(LockRegistry.class).lock("name").lock();
			assertThat(context.getBean(LockInspector.class).queue("name")).singleElement()
				.extracting(LockContender::instance)
				.asString()
				.matches("[0-9a-f]{8}");
		});
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
				.satisfies((ex) -> assertThat(ex.getMessage()).contains("'x\\nx").hasSizeLessThan(400));
			assertThatIllegalArgumentException().isThrownBy(() -> registry.lock(name + "\ud800"))
				.satisfies((ex) -> assertThat(ex.getMessage()).contains("'x\\nx").hasSizeLessThan(400));
			assertThat(registry.lock(name).toString() + registry.election(name)).doesNotContain("\n")
				.hasSizeLessThan(800);
		});
	}

}
