package io.github.zklock.embedded;

import java.net.ServerSocket;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Ensembles that do not start.
 */
class EnsembleStartIT {

	@Test
	void processThatEndsFailsTheStartAtOnce() {
		assertThatExceptionOfType(ZooKeeperStartException.class)
			.isThrownBy(() -> ZooKeeperEnsemble.builder().jvmOption("-XX:+NoSuchOption").start())
			.withMessageContaining("exit code 1")
			.withMessageContaining("NoSuchOption");
	}

	@Test
	void portInUseFailsTheStartAtOnce() throws Exception {
		try (ServerSocket taken = Loopback.listen()) {
			assertThatExceptionOfType(ZooKeeperStartException.class)
				.isThrownBy(() -> ZooKeeperEnsemble.builder()
					.property("clientPort", Integer.toString(taken.getLocalPort()))
					.start())
				.withMessageContaining("exit code")
				.withMessageContaining("Address already in use");
		}
	}

	@Test
	void failedStartShowsTheLogsAndLeavesNothing() {
		long children = ProcessHandle.current().children().count();
		assertThatExceptionOfType(ZooKeeperStartException.class)
			.isThrownBy(() -> ZooKeeperEnsemble.builder().property("tickTime", "nonsense").start())
			.withMessageContaining("nonsense");
		assertThat(ProcessHandle.current().children().count()).isEqualTo(children);
	}

}
