package io.github.zklock.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FaultProxy} that wait for what happens while nobody says anything.
 */
@EmbeddedZooKeeperTest
class FaultProxySilenceTests {

	private static final Duration SESSION = Duration.ofSeconds(12);

	private final EmbeddedZooKeeper server;

	private final String root;

	private final FaultProxy proxy;

	private final TestClient client;

	FaultProxySilenceTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws IOException {
		this.server = server;
		this.root = connectString.substring(connectString.indexOf('/'));
		this.proxy = FaultProxy.to(server.connectString());
		this.client = TestClient.connect(TestClient.twice(this.proxy.connectString()) + this.root, SESSION);
	}

	@BeforeEach
	void countFromHere() {
		this.proxy.resetCounts();
	}

	@AfterEach
	void close() throws InterruptedException {
		this.proxy.heal();
		this.client.close();
		this.proxy.close();
	}

	private List<String> nodes() {
		return this.server.view().children(this.root);
	}

	@Test
	void anyDoesNotCountPingsAndConnects() throws Exception {
		this.proxy.cut();
		this.client.awaitSeen(KeeperState.Disconnected);
		this.client.awaitState(KeeperState.SyncConnected);
		await().atMost(TestClient.PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.PING) >= 1);
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.CONNECT)).isEqualTo(1);
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.ANY)).isZero();
	}

	@Test
	void swallowedTrafficLooksLikeSilenceToBothSides() throws Exception {
		this.proxy.swallow();
		CompletableFuture<Code> created = this.client.createAsync("/a", CreateMode.PERSISTENT);
		assertThat(created.get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
		this.client.awaitState(KeeperState.Disconnected);
		assertThat(nodes()).isEmpty();
		assertThat(this.server.view().connectionCount()).as("the server was not told").isPositive();
		this.proxy.heal();
		this.client.awaitBack();
	}

	@Test
	void swallowInOneDirectionLetsRequestsThrough() throws Exception {
		try (TestClient impatient = TestClient.connect(this.proxy.connectString() + this.root, Duration.ofSeconds(4))) {
			this.proxy.swallow(Direction.TO_CLIENT);
			CompletableFuture<Code> created = impatient.createAsync("/a", CreateMode.PERSISTENT);
			assertThat(created.get(30, TimeUnit.SECONDS)).isEqualTo(Code.CONNECTIONLOSS);
			assertThat(nodes()).containsExactly("a");
			this.proxy.heal();
		}
	}

}
