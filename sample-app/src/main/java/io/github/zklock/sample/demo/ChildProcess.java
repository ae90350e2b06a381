package io.github.zklock.sample.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A JVM with the class path of this one, whose output is passed on line by line behind
 * its name. It can be started again after it has ended, and ends with this JVM at the
 * latest. Thread-safe.
 */
final class ChildProcess implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(2);

	private static final Duration PRINT_TIMEOUT = ShopCluster.patience(Duration.ofMillis(500));

	private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

	// Ctrl-C reaches all processes of a terminal. The children leave it to their parent,
	// which ends them in order.
	private static final List<String> DEAF_TO_CTRL_C = List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh");

	private final String name;

	private final PrintStream out;

	private final List<String> command;

	private final BooleanSupplier ready;

	private @Nullable Process process;

	private @Nullable Thread printer;

	private boolean closed;

	/**
	 * Describe a process.
	 * @param name what to put before each line of its output
	 * @param out where to print its output
	 * @param ready whether it does its work
	 * @param jvmOptions options of its JVM
	 * @param mainClass its main class
	 * @param args the arguments of its main class
	 */
	ChildProcess(String name, PrintStream out, BooleanSupplier ready, List<String> jvmOptions, String mainClass,
			List<String> args) {
		this.name = name;
		this.out = out;
		this.ready = ready;
		this.command = command(jvmOptions, mainClass, args);
	}

	private static List<String> command(List<String> jvmOptions, String mainClass, List<String> args) {
		List<String> command = new ArrayList<>();
		if (File.separatorChar == '/') {
			command.addAll(DEAF_TO_CTRL_C);
		}
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		command.addAll(jvmOptions);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildMain.class.getName(), mainClass));
		command.addAll(args);
		return command;
	}

	/**
	 * Start it, unless it runs already.
	 * @throws IllegalStateException if this has been closed
	 */
	synchronized void start() {
		if (this.closed) {
			throw new IllegalStateException("%s has been stopped for good".formatted(this.name));
		}
		if (isAlive()) {
			return;
		}
		try {
			Process started = new ProcessBuilder(this.command).redirectErrorStream(true).start();
			this.process = started;
			Thread printer = new Thread(() -> print(started), "output of " + this.name);
			printer.setDaemon(true);
			printer.start();
			this.printer = printer;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The process of %s cannot be started".formatted(this.name), ex);
		}
	}

	private void print(Process process) {
		try (BufferedReader lines = process.inputReader()) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				print(line);
			}
			print("(process %d has ended with code %d)".formatted(process.pid(), process.waitFor()));
		}
		catch (IOException ex) {
			// killed
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void print(String line) {
		this.out.printf("[%s] %s%n", this.name, line);
	}

	/**
	 * Wait until it does its work.
	 * @throws IllegalStateException if it ends, or is not ready in time
	 */
	void awaitReady() {
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (!this.ready.getAsBoolean()) {
			if (!isAlive()) {
				throw new IllegalStateException("%s has ended, its output says why".formatted(this));
			}
			if (System.nanoTime() - deadline > 0) {
				throw new IllegalStateException("%s is not ready after %s".formatted(this, START_TIMEOUT));
			}
			try {
				TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while waiting for %s".formatted(this), ex);
			}
		}
	}

	/**
	 * Return the process id, also after the process has ended.
	 */
	synchronized long pid() {
		if (this.process == null) {
			throw new IllegalStateException("%s has not been started".formatted(this.name));
		}
		return this.process.pid();
	}

	synchronized boolean isAlive() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * End it as {@code kill -9} does.
	 */
	synchronized void kill() {
		if (this.process != null) {
			this.process.destroyForcibly();
			awaitExit(Duration.ofSeconds(10));
		}
	}

	/**
	 * Ask it to end, as {@code kill} does, and return at once.
	 */
	synchronized void askToStop() {
		if (this.process != null) {
			// Process.destroy() would close its input, too, which ends it at once
			this.process.toHandle().destroy();
		}
	}

	/**
	 * Wait for its end, which is enforced if it takes too long.
	 * @param patience how long to wait
	 */
	synchronized void awaitStop(Duration patience) {
		if (!awaitExit(patience)) {
			kill();
		}
	}

	private boolean awaitExit(Duration patience) {
		if (this.process == null || this.printer == null) {
			return true;
		}
		try {
			boolean ended = this.process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
			if (ended) {
				// its last words
				this.printer.join(PRINT_TIMEOUT.toMillis());
			}
			return ended;
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
			return true;
		}
	}

	/**
	 * End it at once if it runs, and never start it again.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		kill();
	}

	@Override
	public synchronized String toString() {
		return (this.process != null) ? "%s (process %d)".formatted(this.name, this.process.pid()) : this.name;
	}

}
