package io.github.zklock.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.stream.IntStream;

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
	void wrongPasswordIsReported(EmbeddedZooKeeper server) throws Exception {
		try (TestClient client = TestClient.connect(server.connectString())) {
			long session = client.zooKeeper().getSessionId();
			assertThatIllegalStateException()
				.isThrownBy(() -> Sessions.expire(session, new byte[16], server.connectString()))
				.withMessageContaining("0x%x".formatted(session))
				.withMessageContaining(server.connectString());
			assertThat(server.view().sessions()).contains(session);
		}
	}

	@Test
	void wrongServerIsReported(EmbeddedZooKeeper server) throws Exception {
		try (EmbeddedZooKeeper other = EmbeddedZooKeeper.startNew();
				TestClient client = TestClient.connect(server.connectString())) {
			assertThatIllegalStateException()
				.isThrownBy(() -> Sessions.expire(client.zooKeeper(), other.connectString()))
				.withMessageContaining(other.connectString());
			assertThat(server.view().sessions()).contains(client.zooKeeper().getSessionId());
		}
	}

	@Test
	void sessionMayBeOverIfItsClientKnows(EmbeddedZooKeeper server) throws Exception {
		try (TestClient client = TestClient.connect(server.connectString())) {
			long session = client.zooKeeper().getSessionId();
			Sessions.expire(client.zooKeeper());
			client.awaitState(KeeperState.Expired);
			Sessions.expire(client.zooKeeper(), server.connectString());
			assertThat(server.view().sessions()).doesNotContain(session);
		}
	}

	@Test
	void serverThatNeverHearsOfTheEndIsReported(EmbeddedZooKeeper server) throws Exception {
		try (FaultProxy proxy = FaultProxy.to(server.connectString());
				TestClient client = TestClient.connect(server.connectString())) {
			IntStream.rangeClosed(1, 1_000).forEach((n) -> proxy.cutBefore(Operation.CLOSE_SESSION, n));
			assertThatIllegalStateException()
				.isThrownBy(
						() -> Sessions.expire(client.zooKeeper().getSessionId(), client.zooKeeper().getSessionPasswd(),
								proxy.connectString(), () -> false, Duration.ofSeconds(2)))
				.withMessageContaining(proxy.connectString())
				.withMessageContaining("PT2S");
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
