package io.github.zklock.embedded;

import java.io.IOException;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@EmbeddedZooKeeperTest
class SessionsTests {

	@Test
	void expiredSessionIsGoneOnTheServer(EmbeddedZooKeeper server, @ConnectString String connectString)
			throws Exception {
		try (TestClient client = TestClient.connect(connectString)) {
			client.create("/node", CreateMode.EPHEMERAL);
			long session = client.zooKeeper().getSessionId();
			Sessions.expire(client.zooKeeper());
			assertThat(server.view().sessions()).doesNotContain(session);
			assertThat(server.view().ephemerals(session)).isEmpty();
			client.awaitState(KeeperState.Expired);
		}
	}

	@Test
	void disconnectedClientExpiresToo(EmbeddedZooKeeper server) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(server.connectString());
				TestClient client = TestClient.connect(proxy.connectString())) {
			long session = client.zooKeeper().getSessionId();
			proxy.refuse();
			client.awaitState(KeeperState.Disconnected);
			Sessions.expire(client.zooKeeper(), server.connectString());
			assertThat(server.view().sessions()).doesNotContain(session);
			assertThat(client.state()).isEqualTo(KeeperState.Disconnected);
			proxy.heal();
			client.awaitState(KeeperState.Expired);
		}
	}

	@Test
	void clientWithoutSessionIsRefused(EmbeddedZooKeeper server) throws IOException, InterruptedException {
		ZooKeeper unconnected = new ZooKeeper("127.0.0.1:" + Loopback.freePort(), 1_000, (event) -> {
		});
		try {
			assertThatIllegalStateException().isThrownBy(() -> Sessions.expire(unconnected))
				.withMessageContaining("not connected");
			assertThatIllegalStateException().isThrownBy(() -> Sessions.expire(unconnected, server.connectString()))
				.withMessageContaining("no session");
		}
		finally {
			unconnected.close();
		}
	}

}
