package io.github.zklock.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The jar that people start in a terminal.
 */
@Tag("brief")
class StandaloneJarIT {

	private static final Pattern READY = Pattern.compile("ready at (\\S+), data in (\\S+)\\.");

	@Test
	void servesUntilItIsTerminatedAndKeepsItsData(@TempDir Path directory) throws Exception {
		Process first = start("--port", "0", "--data-dir", directory.toString());
		try (TestClient client = TestClient.connect(awaitReady(first).group(1))) {
			client.create("/node", CreateMode.PERSISTENT);
		}
		finally {
			terminate(first);
		}
		Process second = start("--port", "0", "--data-dir", directory.toString());
		try (TestClient client = TestClient.connect(awaitReady(second).group(1))) {
			assertThat(client.zooKeeper().exists("/node", false)).isNotNull();
		}
		finally {
			terminate(second);
		}
	}

	@Test
	void temporaryDataIsDeleted() throws Exception {
		Process process = start("--port", "0");
		Path data;
		try {
			data = Path.of(awaitReady(process).group(2));
			assertThat(data).isNotEmptyDirectory();
		}
		finally {
			terminate(process);
		}
		assertThat(data).doesNotExist();
	}

	@Test
	void mistakeEndsItWithACode() throws Exception {
		Process process = start("--nonsense");
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).isEqualTo(2);
	}

	private static Process start(String... args) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
						System.getProperty("standalone.jar")));
		command.addAll(List.of(args));
		return new ProcessBuilder(command).redirectErrorStream(true).start();
	}

	private static Matcher awaitReady(Process process) throws IOException {
		BufferedReader output = process.inputReader();
		StringBuilder seen = new StringBuilder();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			Matcher ready = READY.matcher(line);
			if (ready.find()) {
				return ready;
			}
			seen.append(line).append('\n');
		}
		throw new AssertionError("The server ended: " + seen);
	}

	private static void terminate(Process process) throws InterruptedException {
		process.destroy();
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
	}

}
