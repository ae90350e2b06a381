package io.github.zklock.embedded;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedZooKeeperMainTests {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	private int run(String... args) {
		return EmbeddedZooKeeperMain.run(args, new PrintStream(this.out, true, StandardCharsets.UTF_8),
				new PrintStream(this.err, true, StandardCharsets.UTF_8));
	}

	private String err() {
		return this.err.toString(StandardCharsets.UTF_8);
	}

	@Test
	void helpPrintsUsage() {
		assertThat(run("--help")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("--port", "--data-dir", "2181");
	}

	@Test
	void mistakesAreNamedWithTheUsage() {
		assertThat(run("--prot", "1")).isEqualTo(2);
		assertThat(err()).contains("'--prot'", "--data-dir DIR");
		assertThat(run("--port")).isEqualTo(2);
		assertThat(err()).contains("'--port' needs a value");
		assertThat(run("--port", "many")).isEqualTo(2);
		assertThat(err()).contains("'many'");
		assertThat(run("--port", "70000")).isEqualTo(2);
		assertThat(err()).contains("70000");
	}

	@Test
	void damagedDataIsNamed(@TempDir Path directory) throws Exception {
		EmbeddedZooKeeperTests.writeDamagedSnapshot(directory);
		assertThat(run("--port", "0", "--data-dir", directory.toString())).isEqualTo(1);
		assertThat(err()).contains("'%s'".formatted(directory));
	}

	@Test
	void portInUseIsNamed() throws Exception {
		try (ServerSocket taken = Loopback.listen()) {
			assertThat(run("--port", Integer.toString(taken.getLocalPort()))).isEqualTo(1);
			assertThat(err()).contains("Port " + taken.getLocalPort());
		}
	}

}
