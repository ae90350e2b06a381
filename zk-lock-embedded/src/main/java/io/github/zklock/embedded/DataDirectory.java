package io.github.zklock.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A server's data directory, used by one server at a time. Two servers on one directory
 * would silently destroy each other's data, so an open one is locked against other
 * processes, too.
 */
final class DataDirectory {

	private static final String LOCK_FILE = "in-use.lock";

	private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

	/**
	 * What the names of this process's temporary directories begin with. Whoever finds
	 * one that was left behind knows by whom.
	 */
	static final String TEMPORARY_PREFIX = "zk-lock-embedded-%d-".formatted(ProcessHandle.current().pid());

	private final Path path;

	private final boolean temporary;

	private @Nullable FileChannel lock;

	private DataDirectory(Path path, boolean temporary) {
		this.path = path;
		this.temporary = temporary;
	}

	static DataDirectory of(@Nullable Path path) {
		return (path != null) ? new DataDirectory(path.toAbsolutePath(), false)
				: new DataDirectory(createTemporary(), true);
	}

	static Path createTemporary() {
		try {
			return Files.createTempDirectory(TEMPORARY_PREFIX);
		}
		catch (IOException ex) {
			throw new ZooKeeperStartException("Cannot create a data directory in '%s': %s"
				.formatted(System.getProperty("java.io.tmpdir"), ex.getMessage()), ex);
		}
	}

	Path path() {
		return this.path;
	}

	void open() {
		try {
			create();
			FileChannel channel = FileChannel.open(this.path.resolve(LOCK_FILE), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE);
			if (!tryLock(channel)) {
				channel.close();
				throw new ZooKeeperStartException(
						"Data directory '%s' is in use by another ZooKeeper server".formatted(this.path), null);
			}
			this.lock = channel;
		}
		catch (IOException ex) {
			throw new ZooKeeperStartException("Data directory '%s' cannot be written: %s".formatted(this.path, ex), ex);
		}
	}

	/**
	 * Create the directory if it is missing. The nodes in it may have secrets, so nobody
	 * but the owner may read it, where the file system can do that. Directories above it
	 * are made as usual.
	 */
	private void create() throws IOException {
		if (Files.isDirectory(this.path)) {
			return;
		}
		Path above = this.path.getParent();
		if (above != null) {
			Files.createDirectories(above);
		}
		try {
			if (this.path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
				Files.createDirectory(this.path, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
			}
			else {
				Files.createDirectory(this.path);
			}
		}
		catch (FileAlreadyExistsException ex) {
			if (!Files.isDirectory(this.path)) {
				throw ex;
			}
		}
	}

	private static boolean tryLock(FileChannel channel) throws IOException {
		try {
			FileLock lock = channel.tryLock();
			return lock != null;
		}
		catch (OverlappingFileLockException ex) {
			return false;
		}
	}

	void close() throws IOException {
		if (this.lock != null) {
			this.lock.close();
			this.lock = null;
		}
	}

	void deleteIfTemporary() throws IOException {
		if (this.temporary) {
			delete(this.path);
		}
	}

	static void delete(Path directory) throws IOException {
		if (Files.exists(directory)) {
			List<Path> deepestFirst;
			try (Stream<Path> files = Files.walk(directory)) {
				deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
			}
			for (Path file : deepestFirst) {
				Files.deleteIfExists(file);
			}
		}
	}

}
