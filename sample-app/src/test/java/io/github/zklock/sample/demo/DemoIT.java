package io.github.zklock.sample.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The demonstration, as a terminal runs it.
 */
@Tag("brief")
class DemoIT {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final String END_OF_INSTRUCTIONS = "Stop it all with Ctrl-C.";

	@TempDir
	private Path directory = Path.of("");

	private @Nullable Process demo;

	private List<ProcessHandle> children = List.of();

	@AfterEach
	void endWhatIsLeft() {
		this.children.forEach(ProcessHandle::destroyForcibly);
		if (this.demo != null) {
			this.demo.descendants().forEach(ProcessHandle::destroyForcibly);
			this.demo.destroyForcibly();
		}
	}

	@Test
	void startsWhatHasDiedAgainAndEndsItAll() throws Exception {
		Process started = start();
		try (BufferedReader output = started.inputReader(); Writer input = started.outputWriter()) {
			List<String> instructions = readUntil(END_OF_INSTRUCTIONS, output);
			assertThat(instructions).filteredOn((line) -> line.startsWith("  http://localhost:")).hasSize(3);
			assertThat(started.children()).hasSize(5);

			ProcessHandle shop = ProcessHandle.of(pid(firstShop(instructions))).orElseThrow();
			shop.destroyForcibly();
			shop.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			input.write("\n");
			input.flush();
			List<String> again = readUntil(END_OF_INSTRUCTIONS, output);
			assertThat(pid(firstShop(again))).isNotEqualTo(shop.pid());
			this.children = started.children().toList();
			assertThat(this.children).hasSize(5);

			// Ctrl-C reaches the children, too, and they leave it to their parent
			this.children.forEach((child) -> signal("INT", child.pid()));
			this.children.get(this.children.size() - 1).destroyForcibly();
			signal("TERM", started.pid());
			List<String> rest = output.lines().toList();
			assertThat(started.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			assertThat(this.children).noneMatch(ProcessHandle::isAlive);
			assertThat(this.directory).isEmptyDirectory();
			assertThat(rest).filteredOn((line) -> line.contains("has ended with code 143")).hasSize(4);
		}
	}

	@Test
	void leavesNothingWhenItIsKilled() throws Exception {
		Process started = start();
		await().atMost(PATIENCE).until(() -> started.children().count() >= 2);
		this.children = started.children().toList();
		started.destroyForcibly();
		await().atMost(PATIENCE).until(() -> this.children.stream().noneMatch(ProcessHandle::isAlive));
	}

	private Process start() throws IOException {
		Process started = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Djava.io.tmpdir=" + this.directory, "-Ddemo.patience=20",
				"-Dzklock.port-slice=" + Integer.getInteger("zklock.port-slice", 0), "-cp",
				System.getProperty("java.class.path"), Demo.class.getName(), "--port=" + firstOfFreePorts())
			.redirectErrorStream(true)
			.start();
		this.demo = started;
		return started;
	}

	private static int firstOfFreePorts() {
		return Stream.generate(() -> FreePorts.find(1).get(0))
			.filter((first) -> IntStream.range(first, first + 3).allMatch(FreePorts::isFree))
			.findFirst()
			.orElseThrow();
	}

	private static List<String> readUntil(String end, BufferedReader output) throws IOException {
		List<String> lines = new ArrayList<>();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			lines.add(line);
			if (line.contains(end)) {
				return lines;
			}
		}
		throw new AssertionError("It has ended:\n" + String.join("\n", lines));
	}

	private static String firstShop(List<String> instructions) {
		return instructions.stream().filter((line) -> line.startsWith("  http://localhost:")).findFirst().orElseThrow();
	}

	private static long pid(String line) {
		return Long.parseLong(line.replaceFirst(".*process ", ""));
	}

	private static void signal(String signal, long pid) {
		try {
			Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start();
			assertThat(kill.waitFor()).isZero();
		}
		catch (IOException ex) {
			throw new AssertionError(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
