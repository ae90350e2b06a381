package io.github.zklock.autoconfigure;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.testing.CallerTestSupport;
import org.junit.jupiter.api.AfterEach;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Applications on a real server. Afterwards no session may be left.
 */
@EmbeddedZooKeeperTest
abstract class ServerTestSupport extends CallerTestSupport {

	private final EmbeddedZooKeeper server;

	private final String connectString;

	ServerTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		this.server = server;
		this.connectString = connectString;
	}

	@AfterEach
	void nothingIsLeft() {
		this.callers.close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.view().sessions()).isEmpty());
	}

	EmbeddedZooKeeper server() {
		return this.server;
	}

	String connectString() {
		return this.connectString;
	}

	/**
	 * The root of the test, which clients see as "/".
	 */
	String chroot() {
		return this.connectString.substring(this.connectString.indexOf('/'));
	}

	ApplicationContextRunner runner() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, SslAutoConfiguration.class))
			.withPropertyValues("zk.lock.connect-string=" + this.connectString, "zk.lock.session.server-tick=500ms",
					"zk.lock.session.connect-timeout=" + PATIENCE, "zk.lock.max-wait=" + PATIENCE,
					"zk.lock.shutdown.wait=0", "zk.lock.leader.hand-over-wait=0");
	}

}
