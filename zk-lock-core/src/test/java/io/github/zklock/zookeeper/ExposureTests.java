package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.github.zklock.testing.LogRecorder;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What everybody on the network may do or read.
 */
class ExposureTests {

	private final LogRecorder exposure = new LogRecorder(Exposure.class, Level.INFO);

	@AfterEach
	void detach() {
		this.exposure.close();
	}

	@Test
	void openNodesOnOtherHostsAreWarnedOfOnce() {
		Exposure open = new Exposure("zoo1:2181,zoo2:2181/path", Ids.OPEN_ACL_UNSAFE, List.of());
		open.warn(new ZKClientConfig());
		open.warn(new ZKClientConfig());
		new Exposure("zoo:2181", Ids.READ_ACL_UNSAFE, List.of()).warn(new ZKClientConfig());
		assertThat(this.exposure.texts(Level.WARN)).singleElement()
			.asString()
			.contains("zoo1:2181,zoo2:2181/path", "zk.lock.acl=creator", "zk.lock.auth", "'acl'", "'authInfo'");
	}

	@Test
	void halfOpenNodesAreWarnedOf() {
		List<ACL> half = List.of(new ACL(Perms.ALL, Ids.AUTH_IDS), new ACL(Perms.DELETE, Ids.ANYONE_ID_UNSAFE));
		new Exposure("zoo:2181", half, List.of()).warn(new ZKClientConfig());
		assertThat(this.exposure.texts(Level.WARN)).hasSize(1);
	}

	@Test
	void passwordsWithoutTlsAreWarnedOf() {
		new Exposure("zoo:2181", Ids.CREATOR_ALL_ACL, List.of("digest")).warn(new ZKClientConfig());
		assertThat(this.exposure.texts(Level.WARN)).singleElement()
			.asString()
			.contains("zoo:2181", "TLS", "zk.lock.ssl.bundle", "zk.lock.auth");
		ZKClientConfig tls = new ZKClientConfig();
		tls.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		new Exposure("zoo:2181", Ids.CREATOR_ALL_ACL, List.of("digest")).warn(tls);
		new Exposure("zoo:2181", Ids.CREATOR_ALL_ACL, List.of("other")).warn(new ZKClientConfig());
		assertThat(this.exposure.texts(Level.WARN)).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:2181", "LOCALHOST", "127.0.0.1:2181/a", "127.1.2.3", "[::1]:2181",
			"127.0.0.1:1,localhost:2", "zoo.localhost:2181" })
	void serversOnThisHostAreNotWarnedOf(String connectString) {
		new Exposure(connectString, Ids.OPEN_ACL_UNSAFE, List.of("digest")).warn(new ZKClientConfig());
		assertThat(this.exposure.texts(Level.WARN)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost.example", "127.example:2181", "10.0.0.1:2181", "localhost:2181,zoo:2181",
			"[2001:db8::1]:2181" })
	void otherServersAre(String connectString) {
		assertThat(Exposure.isLocal(connectString)).isFalse();
	}

	@Test
	void registryWarnsWhenItIsAboutToConnect() {
		try (ZooKeeperLocks locks = ZooKeeperLocks.builder("zookeeper.invalid:2181")
			.authInfo("digest", "app:secret")
			.acl(Ids.OPEN_ACL_UNSAFE)
			.closeWait(Duration.ZERO)
			.build()) {
			assertThat(this.exposure.texts(Level.WARN)).isEmpty();
			locks.start();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.exposure.texts(Level.WARN)).hasSize(2));
		}
		assertThat(this.exposure.texts(Level.WARN)).noneMatch((text) -> text.contains("secret"));
	}

}
