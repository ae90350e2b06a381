package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;

import org.apache.zookeeper.server.ZooKeeperServer;
import org.jspecify.annotations.Nullable;

/**
 * One standalone ZooKeeper server inside this JVM, for development and tests. It listens
 * on 127.0.0.1 only, has no admin web server, installs no shutdown hook and never ends
 * the JVM.
 *
 * <p>
 * The port and the data outlive {@link #stop()}: clients that keep trying find the same
 * server again after {@link #start()}, with their sessions if these have not expired
 * meanwhile. {@link #close()} ends it for good. Thread-safe.
 *
 * <pre class="code">
 * try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.startNew()) {
 * 	connect(zooKeeper.connectString());
 * }
 * </pre>
 */
public final class EmbeddedZooKeeper implements AutoCloseable {

	private static final int PORT_ATTEMPTS = 10;

	private final Duration tickTime;

	private final Duration containerCheckInterval;

	private final int containersPerMinute;

	private final DataDirectory dataDirectory;

	private int port;

	private @Nullable RunningServer running;

	private boolean closed;

	private EmbeddedZooKeeper(Builder options) {
		this.tickTime = options.tickTime;
		this.containerCheckInterval = options.containerCheckInterval;
		this.containersPerMinute = options.containersPerMinute;
		this.port = options.port;
		this.dataDirectory = DataDirectory.of(options.dataDirectory);
	}

	/**
	 * Start a server on a free port with a temporary data directory.
	 * @return the running server
	 */
	public static EmbeddedZooKeeper startNew() {
		return builder().start();
	}

	/**
	 * Describe a server.
	 * @return a builder with a free port, a temporary data directory and a tick of 500 ms
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Start the server, on the same port and data as before if it ran before. It serves
	 * requests when this method returns.
	 * @throws ZooKeeperStartException if the port or the data directory cannot be used
	 * @throws IllegalStateException if it runs already or has been closed
	 */
	public synchronized void start() {
		if (this.closed) {
			throw new IllegalStateException("This ZooKeeper server has been closed");
		}
		if (this.running != null) {
			throw new IllegalStateException("ZooKeeper server is already running on port " + this.port);
		}
		this.dataDirectory.open();
		try {
			this.running = (this.port != 0) ? startOn(this.port) : startOnFreePort();
			this.port = this.running.port();
		}
		finally {
			if (this.running == null) {
				closeQuietly(this.dataDirectory);
			}
		}
	}

	private RunningServer startOnFreePort() {
		for (int attempt = 1;; attempt++) {
			try {
				return startOn(Loopback.freePort());
			}
			catch (ZooKeeperStartException ex) {
				if (attempt == PORT_ATTEMPTS || !(ex.getCause() instanceof java.net.BindException)) {
					throw ex;
				}
			}
		}
	}

	private RunningServer startOn(int port) {
		return RunningServer.start(port, this.dataDirectory.path(), this.tickTime, this.containerCheckInterval,
				this.containersPerMinute);
	}

	private static void closeQuietly(DataDirectory directory) {
		try {
			directory.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Stop the server, keeping its port and data for the next start. Does nothing if it
	 * does not run.
	 */
	public synchronized void stop() {
		RunningServer server = this.running;
		if (server != null) {
			this.running = null;
			server.stop();
			closeQuietly(this.dataDirectory);
		}
	}

	/**
	 * Stop the server and start it again on the same port with the same data.
	 */
	public synchronized void restart() {
		stop();
		start();
	}

	/**
	 * Stop the server for good and delete its data directory if that was temporary.
	 */
	@Override
	public synchronized void close() {
		stop();
		this.closed = true;
		try {
			this.dataDirectory.deleteIfTemporary();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot delete temporary directory " + this.dataDirectory.path(), ex);
		}
	}

	/**
	 * Return whether the server is running.
	 * @return whether the server is running
	 */
	public synchronized boolean isRunning() {
		return this.running != null;
	}

	/**
	 * Return the port that clients connect to.
	 * @return the port
	 * @throws IllegalStateException if it was to be a free port and the server has never
	 * been started
	 */
	public synchronized int port() {
		if (this.port == 0) {
			throw new IllegalStateException("ZooKeeper server has no port before it was started");
		}
		return this.port;
	}

	/**
	 * Return what a ZooKeeper client needs to connect to this server.
	 * @return the connect string, {@code 127.0.0.1:port}
	 */
	public String connectString() {
		return Loopback.connectString(port());
	}

	/**
	 * Return the directory that holds the server's snapshots and transaction logs.
	 * @return the absolute path
	 */
	public Path dataDirectory() {
		return this.dataDirectory.path();
	}

	/**
	 * Return the server's own view of watches, nodes, sessions and packets. It stays
	 * valid across restarts.
	 * @return the view
	 */
	public ServerView view() {
		return new InProcessView(this::server);
	}

	/**
	 * Return the running server itself, for tests that must reach inside.
	 * @return the server, until the next stop
	 * @throws IllegalStateException if the server is not running
	 */
	public synchronized ZooKeeperServer server() {
		if (this.running == null) {
			throw new IllegalStateException("ZooKeeper server is not running");
		}
		return this.running.server();
	}

	/**
	 * Options of an embedded server.
	 */
	public static final class Builder {

		private int port;

		private @Nullable Path dataDirectory;

		private Duration tickTime = Duration.ofMillis(500);

		private Duration containerCheckInterval = Duration.ofMinutes(1);

		private int containersPerMinute = Integer.getInteger("znode.container.maxPerMinute", 10_000);

		private Builder() {
		}

		/**
		 * Set the port to listen on. Zero, the default, takes any free one.
		 * @param port the port
		 * @return this builder
		 */
		public Builder port(int port) {
			if (port < 0 || port > 65_535) {
				throw new IllegalArgumentException("'port' must be between 0 and 65535 but was " + port);
			}
			this.port = port;
			return this;
		}

		/**
		 * Set the directory for the server's data, which is created if it is missing, so
		 * that only the owner can read it, and kept when the server ends. A directory
		 * that exists keeps its permissions. The default is a temporary directory.
		 * @param dataDirectory the directory
		 * @return this builder
		 */
		public Builder dataDirectory(Path dataDirectory) {
			this.dataDirectory = dataDirectory;
			return this;
		}

		/**
		 * Set the server's tick. The shortest session timeout is two ticks.
		 * @param tickTime the tick, at least a millisecond
		 * @return this builder
		 */
		public Builder tickTime(Duration tickTime) {
			this.tickTime = requireMillis("tickTime", tickTime);
			return this;
		}

		/**
		 * Set how often the server removes containers that have become empty.
		 * @param interval the interval, at least a millisecond
		 * @return this builder
		 */
		public Builder containerCheckInterval(Duration interval) {
			this.containerCheckInterval = requireMillis("containerCheckInterval", interval);
			return this;
		}

		/**
		 * Set how many empty containers the server removes in a minute at most. The
		 * default is that of every ZooKeeper server: the system property
		 * {@code znode.container.maxPerMinute}, or 10,000.
		 * @param containersPerMinute the number, positive
		 * @return this builder
		 */
		public Builder containersPerMinute(int containersPerMinute) {
			if (containersPerMinute < 1) {
				throw new IllegalArgumentException(
						"'containersPerMinute' must be positive but was " + containersPerMinute);
			}
			this.containersPerMinute = containersPerMinute;
			return this;
		}

		private static Duration requireMillis(String name, Duration duration) {
			if (duration.compareTo(Duration.ofMillis(1)) < 0 || duration.compareTo(Duration.ofDays(1)) > 0) {
				throw new IllegalArgumentException(
						"'%s' must be between a millisecond and a day but was %s".formatted(name, duration));
			}
			return duration;
		}

		/**
		 * Build the server without starting it.
		 * @return the server
		 */
		public EmbeddedZooKeeper build() {
			return new EmbeddedZooKeeper(this);
		}

		/**
		 * Build the server and start it. If that fails, nothing is left behind.
		 * @return the running server
		 * @throws ZooKeeperStartException if the port or the data directory cannot be
		 * used
		 */
		public EmbeddedZooKeeper start() {
			EmbeddedZooKeeper server = build();
			try {
				server.start();
				return server;
			}
			catch (RuntimeException ex) {
				server.close();
				throw ex;
			}
		}

	}

}
