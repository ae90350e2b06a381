package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Holds a process still, for as long as this JVM lives: a shell stops it and waits for
 * the end of its own input, which comes when {@link #resume()} is called or this JVM
 * dies, and lets it go on.
 */
final class PausedProcess {

	private static final String SCRIPT = """
			trap '' INT TERM HUP
			kill -STOP "$1" || exit 1
			echo paused
			while read -r line; do :; done
			kill -CONT "$1" 2>&-
			""";

	private final Process shell;

	private PausedProcess(Process shell) {
		this.shell = shell;
	}

	static PausedProcess pause(long pid) {
		try {
			Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "sh", Long.toString(pid))
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			if (shell.getInputStream().read() < 0) {
				throw new IllegalStateException("Process %d cannot be paused".formatted(pid));
			}
			return new PausedProcess(shell);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Process %d cannot be paused without a shell".formatted(pid), ex);
		}
	}

	void resume() {
		try {
			this.shell.getOutputStream().close();
			this.shell.waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
