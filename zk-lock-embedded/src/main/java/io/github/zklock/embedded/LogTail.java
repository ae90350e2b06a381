package io.github.zklock.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The end of a log that may be long and still grows.
 */
final class LogTail {

	private static final int MAX_BYTES = 64 * 1024;

	private LogTail() {
	}

	/**
	 * Return the last lines of a log.
	 * @param log the file
	 * @param count how many lines to return at most
	 * @return the lines, or why there are none
	 */
	static String of(Path log, int count) {
		try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
			long start = Math.max(0, file.length() - MAX_BYTES);
			byte[] bytes = new byte[(int) (file.length() - start)];
			file.seek(start);
			file.readFully(bytes);
			List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
			return String.join("\n", lines.subList(Math.max(0, lines.size() - count), lines.size()));
		}
		catch (IOException ex) {
			return "(it cannot be read: %s)".formatted(ex);
		}
	}

}
