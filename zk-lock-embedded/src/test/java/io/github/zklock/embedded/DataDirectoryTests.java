package io.github.zklock.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class DataDirectoryTests {

	private static String permissions(Path path) throws IOException {
		return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
	}

	private static void openAndClose(Path path) throws IOException {
		DataDirectory directory = DataDirectory.of(path);
		directory.open();
		directory.close();
	}

	@Test
	void newDirectoryIsForItsOwnerOnly(@TempDir Path home) throws Exception {
		Path usual = Files.createDirectory(home.resolve("usual"));
		Path above = home.resolve("above");
		Path path = above.resolve("data");
		openAndClose(path);
		assertThat(permissions(path)).isEqualTo("rwx------");
		assertThat(permissions(above)).isEqualTo(permissions(usual));
	}

	@Test
	void presentDirectoryStaysAsItIs(@TempDir Path home) throws Exception {
		Path path = Files.createDirectory(home.resolve("data"));
		Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr--"));
		openAndClose(path);
		Path link = Files.createSymbolicLink(home.resolve("link"), path);
		openAndClose(link);
		assertThat(permissions(path)).isEqualTo("rwxr-xr--");
	}

	@Test
	void temporaryDirectoryIsForItsOwnerOnly() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew()) {
			assertThat(permissions(server.dataDirectory())).isEqualTo("rwx------");
		}
	}

	@Test
	void serverMakesItsDirectoryLikeThat(@TempDir Path home) throws Exception {
		Path path = home.resolve("data");
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.builder().dataDirectory(path).start()) {
			assertThat(permissions(server.dataDirectory())).isEqualTo("rwx------");
		}
	}

}
