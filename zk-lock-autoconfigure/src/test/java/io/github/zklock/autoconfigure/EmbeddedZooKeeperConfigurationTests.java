package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.zklock.LockLease;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with a server of their own, or without one because another one is there.
 */
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedZooKeeperConfigurationTests {

	private static ApplicationContextRunner runner(int port) {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ZkLockAutoConfiguration.class))
			.withPropertyValues("zk.lock.embedded.enabled=true", "zk.lock.embedded.port=" + port,
					"zk.lock.session.server-tick=500ms",
					"zk.lock.session.connect-timeout=" + ServerTestSupport.PATIENCE);
	}

	@Test
	void serverRunsAsLongAsTheApplication(CapturedOutput output, @TempDir Path directory) {
		runner(0).withPropertyValues("zk.lock.embedded.data-dir=" + directory).run((context) -> {
			try (LockLease lease = context.getBean(LockRegistry.class).lock("name").acquire()) {
				assertThat(lease.isHeld()).isTrue();
			}
			assertThat(output).contains("WARN", "for development only");
			String connectString = context.getBean(ZooKeeperConnectionDetails.class).getConnectString();
			int port = Integer.parseInt(connectString.substring(connectString.indexOf(':') + 1));
			context.close();
			try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().port(port).start()) {
				assertThat(server.connectString()).isEqualTo(connectString);
			}
		});
		assertThat(directory.resolve("version-2")).isDirectory();
	}

	@Test
	void anyTrueValueStartsTheServer() {
		runner(0).withPropertyValues("zk.lock.embedded.enabled=on")
			.run((context) -> assertThat(context).hasSingleBean(EmbeddedZooKeeperConnectionDetails.class));
	}

	@Test
	void secondApplicationUsesTheServerOfTheFirst(CapturedOutput output) {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew()) {
			runner(server.port()).run((context) -> {
				context.getBean(LockRegistry.class).lock("name").lock();
				assertThat(server.view().sessions()).hasSize(1);
				assertThat(output).contains("Port %d is taken".formatted(server.port()));
			});
			assertThat(server.isRunning()).isTrue();
		}
	}

	@Test
	void secondApplicationMayShareTheDataDirectory(@TempDir Path directory) {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().dataDirectory(directory).start()) {
			runner(server.port()).withPropertyValues("zk.lock.embedded.data-dir=" + directory)
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	@Test
	void somethingElseOnThePortIsToldApart() throws IOException {
		try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			runner(other.getLocalPort()).withPropertyValues("zk.lock.session.connect-timeout=200ms").run((context) -> {
				FailureAnalysis analysis = Failures.of(context);
				assertThat(analysis.getDescription()).contains("zk.lock.embedded.port", "not ZooKeeper",
						String.valueOf(other.getLocalPort()));
				assertThat(analysis.getAction()).contains("zk.lock.embedded.port");
			});
		}
	}

	@Test
	void uselessDataDirectoryIsNamed(@TempDir Path directory) throws IOException {
		Path file = Files.createFile(directory.resolve("file"));
		runner(0).withPropertyValues("zk.lock.embedded.data-dir=" + file).run((context) -> {
			FailureAnalysis analysis = Failures.of(context);
			assertThat(analysis.getDescription()).contains(file.toString());
			assertThat(analysis.getAction()).contains("zk.lock.embedded.data-dir");
		});
	}

}
