package io.github.zklock.embedded;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

class EmbeddedZooKeeperExtensionTests {

	private static final List<String> roots = Collections.synchronizedList(new ArrayList<>());

	private static final List<EmbeddedZooKeeper> servers = Collections.synchronizedList(new ArrayList<>());

	@Test
	void classSharesAServerAndEachTestHasItsOwnRoot() {
		roots.clear();
		servers.clear();
		EngineTestKit.engine("junit-jupiter")
			.selectors(selectClass(Example.class))
			.execute()
			.testEvents()
			.assertStatistics((statistics) -> statistics.started(5).succeeded(5));
		assertThat(servers).hasSize(5).containsOnly(servers.get(0));
		assertThat(servers.get(0).isRunning()).isFalse();
		assertThat(roots).hasSize(5).doesNotHaveDuplicates();
	}

	@EmbeddedZooKeeperTest(tickTimeMillis = 123)
	static class Example {

		private final String connectString;

		Example(@ConnectString String connectString) {
			this.connectString = connectString;
		}

		@BeforeAll
		static void serverRunsBeforeAll(EmbeddedZooKeeper server, @ConnectString String connectString) {
			assertThat(server.isRunning()).isTrue();
			assertThat(server.server().getTickTime()).isEqualTo(123);
			assertThat(connectString).startsWith(server.connectString() + "/");
		}

		@BeforeEach
		void constructorAndLifecycleSeeTheRootOfTheTest(@ConnectString String connectString, EmbeddedZooKeeper server)
				throws Exception {
			assertThat(connectString).isEqualTo(this.connectString);
			try (TestClient client = TestClient.connect(connectString)) {
				assertThat(client.zooKeeper().getChildren("/", false)).isEmpty();
				client.create("/left-behind", CreateMode.PERSISTENT);
			}
			roots.add(connectString);
			servers.add(server);
		}

		@Test
		void one(@ConnectString String connectString) {
			assertThat(connectString).isEqualTo(this.connectString);
		}

		@Test
		void other() {
		}

		@ParameterizedTest
		@ValueSource(strings = { "a", "b" })
		void argumentsOfOthersAreLeftAlone(String argument, @ConnectString String connectString) {
			assertThat(argument).hasSize(1);
			assertThat(connectString).isEqualTo(this.connectString);
		}

		@Nested
		class Inner {

			@Test
			void sharesTheServer(EmbeddedZooKeeper server) {
				assertThat(server).isSameAs(servers.get(0));
			}

		}

	}

}
