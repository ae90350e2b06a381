package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.zklock.LockLease;
import io.github.zklock.LockRegistry;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Connections by TLS, in which both sides have certificates.
 */
@Tag("brief")
class TlsIT {

	private static TlsServer server;

	@BeforeAll
	static void start(@TempDir Path directory) throws Exception {
		server = new TlsServer(directory);
	}

	@AfterAll
	static void stop() throws Exception {
		server.close();
	}

	private static ApplicationContextRunner runner(String bundle) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class, SslAutoConfiguration.class))
			.withPropertyValues(server.bundle("client"))
			.withPropertyValues(server.bundle("stranger"))
			.withPropertyValues("zk.lock.ssl.bundle=" + bundle, "zk.lock.connect-string=" + server.connectString(),
					"zk.lock.startup=fail", "zk.lock.session.connect-timeout=" + PATIENCE,
					"zk.lock.session.server-tick=500ms");
	}

	@Test
	void bundleConnects() throws IOException {
		List<Path> before = keyStoreDirectories();
		runner("client").run((context) -> {
			try (LockLease lease = context.getBean(LockRegistry.class).lock("name").acquire()) {
				assertThat(lease.fencingToken()).isPositive();
			}
			ZooKeeper zooKeeper = context.getBean(ZooKeeperClient.class).zooKeeper();
			assertThat(zooKeeper.getClientConfig().getProperty("zookeeper.client.secure")).isEqualTo("true");
			Path file = Path.of(zooKeeper.getClientConfig().getProperty("zookeeper.ssl.keyStore.location"));
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
				.isEqualTo("rwx------");
			assertThat(keyStoreDirectories()).contains(file.getParent());
			context.getBean(ZooKeeperClient.class).stop();
			assertThat(file.getParent()).doesNotExist();
			context.getBean(ZooKeeperClient.class).start();
			assertThat(context.getBean(ZooKeeperClient.class).zooKeeper().getState().isConnected()).isTrue();
		});
		assertNoMoreThan(before);
	}

	@Test
	void wrongBundleStopsTheStart() throws IOException {
		List<Path> before = keyStoreDirectories();
		runner("stranger").withPropertyValues("zk.lock.session.connect-timeout=2s").run((context) -> {
			FailureAnalysis analysis = Failures.of(context);
			assertThat(analysis.getDescription()).contains(server.connectString(), "2000 ms");
			assertThat(analysis.getAction()).contains("zk.lock.connect-string", "zk.lock.auth", "zk.lock.ssl.bundle");
			assertThat(analysis.getDescription() + analysis.getAction()).doesNotContain(TlsServer.PASSWORD);
		});
		assertNoMoreThan(before);
	}

	@Test
	void updatedBundleIsUsedFromTheNextConnectionOn() {
		runner("stranger").withPropertyValues("zk.lock.startup=continue", "zk.lock.session.connect-timeout=500ms")
			.run((context) -> {
				ZooKeeperClient client = context.getBean(ZooKeeperClient.class);
				assertThatIllegalStateException().isThrownBy(client::zooKeeper);
				DefaultSslBundleRegistry bundles = (DefaultSslBundleRegistry) context.getBean(SslBundles.class);
				bundles.updateBundle("stranger", bundles.getBundle("client"));
				await().atMost(PATIENCE)
					.ignoreException(IllegalStateException.class)
					.until(() -> client.zooKeeper().getState().isConnected());
			});
	}

	@Test
	void keysInClientPropertiesContradictTheBundle() {
		runner("client").withPropertyValues("zk.lock.client-properties[zookeeper.ssl.trustStore.password]=hush")
			.run((context) -> assertThat(Failures.textOf(context))
				.contains("zk.lock.client-properties[zookeeper.ssl.trustStore.password]", "zk.lock.ssl.bundle")
				.doesNotContain("hush"));
	}

	/**
	 * Nothing is left, whatever other processes do in the same place.
	 */
	private static void assertNoMoreThan(List<Path> before) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(before).containsAll(keyStoreDirectories()));
	}

	private static List<Path> keyStoreDirectories() throws IOException {
		Path temporary = Path.of(Objects.requireNonNull(System.getProperty("java.io.tmpdir")));
		try (Stream<Path> files = Files.list(temporary)) {
			return files.filter((file) -> file.getFileName().toString().startsWith("zk-lock-tls-")).toList();
		}
	}

}
