package io.github.zklock.embedded;

import java.time.Duration;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@EmbeddedZooKeeperTest
class ServerViewTests {

	@Test
	void showsWhatTheServerKnows(EmbeddedZooKeeper server) throws Exception {
		ServerView view = server.view();
		try (TestClient client = TestClient.connect(server.connectString())) {
			long session = client.zooKeeper().getSessionId();
			long watches = view.watchCount();
			long ephemerals = view.ephemeralCount();
			assertThat(view.sessions()).as("before it has an ephemeral node").containsExactly(session);
			client.create("/b", CreateMode.EPHEMERAL);
			client.create("/a", CreateMode.EPHEMERAL);
			client.zooKeeper().getData("/a", true, null);
			assertThat(view.watchCount()).isEqualTo(watches + 1);
			assertThat(view.ephemeralCount()).isEqualTo(ephemerals + 2);
			assertThat(view.ephemerals(session)).containsExactly("/a", "/b");
			assertThat(view.children("/")).containsSubsequence("a", "b");
			assertThat(view.sessions()).contains(session);
			await().atMost(TestClient.PATIENCE).untilAsserted(() -> assertThat(view.connectionCount()).isEqualTo(1));
		}
		assertThat(view.sessions()).isEmpty();
		assertThat(view.children("/")).doesNotContain("a", "b");
	}

	@Test
	void countsPackets(EmbeddedZooKeeper server) throws Exception {
		// The longer the session, the rarer its pings
		try (TestClient client = TestClient.connect(server.connectString(), Duration.ofMinutes(1))) {
			long received = server.view().packetsReceived();
			long sent = server.view().packetsSent();
			client.zooKeeper().exists("/", false);
			client.zooKeeper().exists("/", false);
			assertThat(server.view().packetsReceived()).isEqualTo(received + 2);
			// a server counts what it has sent after it has sent it
			await().atMost(TestClient.PATIENCE).until(() -> server.view().packetsSent() >= sent + 2);
		}
	}

	@Test
	void missingNodeHasNoChildren(EmbeddedZooKeeper server) {
		assertThat(server.view().children("/missing")).isEmpty();
		assertThat(server.view().ephemerals(1)).isEmpty();
	}

}
