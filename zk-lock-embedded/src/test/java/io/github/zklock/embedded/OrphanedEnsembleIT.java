package io.github.zklock.embedded;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class OrphanedEnsembleIT {

	@Test
	void membersEndWhenTheJvmThatStartedThemIsKilled() throws Exception {
		Process parent = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Parent.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		List<ProcessHandle> members = new ArrayList<>();
		try (BufferedReader output = parent.inputReader()) {
			while (members.size() < 3) {
				Optional.ofNullable(output.readLine())
					.map(Long::valueOf)
					.flatMap(ProcessHandle::of)
					.ifPresentOrElse(members::add, () -> {
						throw new AssertionError("The process ended early");
					});
			}
			assertThat(members).allMatch(ProcessHandle::isAlive);
		}
		finally {
			parent.destroyForcibly().waitFor();
		}
		await().atMost(TestClient.PATIENCE).until(() -> members.stream().noneMatch(ProcessHandle::isAlive));
	}

	static final class Parent {

		private Parent() {
		}

		public static void main(String[] args) throws InterruptedException {
			ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.startNew(3);
			ensemble.member(1).pause();
			ensemble.members().forEach((member) -> System.out.println(member.pid()));
			Thread.currentThread().join();
		}

	}

}
