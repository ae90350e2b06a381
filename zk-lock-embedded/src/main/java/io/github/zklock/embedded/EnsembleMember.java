package io.github.zklock.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * One server process of a {@link ZooKeeperEnsemble}. Thread-safe.
 */
public final class EnsembleMember {

	private static final Pattern MODE = Pattern.compile("^Mode: (\\w+)", Pattern.MULTILINE);

	private static final Duration EXIT_TIMEOUT = Duration.ofSeconds(10);

	private final int id;

	private final int clientPort;

	private final Path directory;

	private final List<String> jvmOptions;

	private final FourLetterView view;

	private @Nullable Process process;

	private @Nullable PausedProcess pause;

	private boolean closed;

	EnsembleMember(int id, int clientPort, Path directory, List<String> jvmOptions) {
		this.id = id;
		this.clientPort = clientPort;
		this.directory = directory;
		this.jvmOptions = jvmOptions;
		this.view = new FourLetterView(clientPort);
	}

	/**
	 * Return the member's id, from 1 on.
	 * @return the id
	 */
	public int id() {
		return this.id;
	}

	/**
	 * Return what a client needs to connect to this member alone.
	 * @return the connect string, {@code 127.0.0.1:port}
	 */
	public String connectString() {
		return Loopback.connectString(this.clientPort);
	}

	/**
	 * Return this member's own view of watches, nodes, sessions and packets.
	 * @return the view
	 */
	public ServerView view() {
		return this.view;
	}

	/**
	 * Return the process id.
	 * @return the process id
	 * @throws IllegalStateException if the member does not run
	 */
	public synchronized long pid() {
		return requireRunning().pid();
	}

	/**
	 * Start the member's process, with the data it had. It serves requests as soon as
	 * there is a quorum: see {@link ZooKeeperEnsemble#awaitServing()}.
	 * @throws IllegalStateException if it runs already or the ensemble has been closed
	 */
	public synchronized void start() {
		if (this.closed) {
			throw new IllegalStateException("Member %d belongs to an ensemble that has been closed".formatted(this.id));
		}
		if (isRunning()) {
			throw new IllegalStateException("Member %d is already running".formatted(this.id));
		}
		try {
			this.process = new ProcessBuilder(command()).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new ZooKeeperStartException("Cannot start the process of member " + this.id, ex);
		}
	}

	private List<String> command() {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no"));
		command.addAll(MemberLogging.jvmOptions(this.directory));
		command.addAll(this.jvmOptions);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), EnsembleMemberMain.class.getName(),
				this.directory.resolve(ZooKeeperEnsemble.CONFIGURATION_FILE).toString()));
		return command;
	}

	/**
	 * Fail if the process has ended of its own accord.
	 */
	synchronized void requireNotExited() {
		if (this.process != null && !this.process.isAlive()) {
			throw new ZooKeeperStartException("The process of %s ended with exit code %d. %s".formatted(this,
					this.process.exitValue(), logTail(ZooKeeperEnsemble.LOG_LINES)), null);
		}
	}

	/**
	 * Kill the process for good.
	 */
	synchronized void close() {
		this.closed = true;
		kill();
	}

	/**
	 * End the process as {@code kill -9} does.
	 */
	public void kill() {
		end(true);
	}

	/**
	 * End the process in an orderly way. Sessions are kept: only clients end them.
	 */
	public void stop() {
		resume();
		end(false);
	}

	private synchronized void end(boolean forcibly) {
		if (this.process != null) {
			if (forcibly) {
				this.process.destroyForcibly();
			}
			else {
				this.process.destroy();
			}
			awaitExit(this.process);
			resume();
			this.process = null;
		}
	}

	private void awaitExit(Process process) {
		try {
			if (!process.waitFor(EXIT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
				process.destroyForcibly().waitFor();
			}
		}
		catch (InterruptedException ex) {
			process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Stop the process in its tracks ({@code SIGSTOP}): it keeps its connections and
	 * answers nobody.
	 * @throws IllegalStateException if it does not run
	 */
	public synchronized void pause() {
		Process running = requireRunning();
		if (this.pause == null) {
			this.pause = PausedProcess.pause(running.pid());
		}
	}

	/**
	 * Let a paused process go on ({@code SIGCONT}).
	 */
	public synchronized void resume() {
		if (this.pause != null) {
			this.pause.resume();
			this.pause = null;
		}
	}

	/**
	 * Return whether the process runs, paused or not.
	 * @return whether the process runs
	 */
	public synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Return whether the process is paused.
	 * @return whether the process is paused
	 */
	public synchronized boolean isPaused() {
		return this.pause != null;
	}

	/**
	 * Return whether the member takes part in a quorum and answers clients.
	 * @return whether the member serves
	 */
	public boolean isServing() {
		return !mode().isEmpty();
	}

	/**
	 * Return whether the member leads, as far as it knows.
	 * @return whether the member leads
	 */
	public boolean isLeader() {
		return mode().equals("leader");
	}

	private String mode() {
		if (!isRunning() || isPaused()) {
			return "";
		}
		try {
			Matcher mode = MODE.matcher(this.view.ask("srvr"));
			return mode.find() ? mode.group(1) : "";
		}
		catch (IOException ex) {
			return "";
		}
	}

	private Process requireRunning() {
		if (this.process == null || !this.process.isAlive()) {
			throw new IllegalStateException("Member %d is not running".formatted(this.id));
		}
		return this.process;
	}

	private Path logFile() {
		return this.directory.resolve("server.log");
	}

	/**
	 * Return the end of what the process has printed.
	 */
	String logTail(int lines) {
		return "The log of %s ends with:\n%s".formatted(this, LogTail.of(logFile(), lines));
	}

	@Override
	public String toString() {
		return "member %d at %s".formatted(this.id, connectString());
	}

}
