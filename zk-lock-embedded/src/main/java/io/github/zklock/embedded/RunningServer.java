package io.github.zklock.embedded;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;

import org.apache.zookeeper.server.ContainerManager;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.util.ServiceUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a standalone server, from its start to its stop.
 */
final class RunningServer {

	private static final Logger logger = LoggerFactory.getLogger(RunningServer.class);

	// ZooKeeper's default of 20 ticks would cut a usual timeout short at a small tick
	private static final Duration MAX_SESSION_TIMEOUT = Duration.ofMinutes(1);

	private final StandaloneServer server;

	private final FileTxnSnapLog files;

	private final ServerCnxnFactory connections;

	private final ContainerManager containers;

	private RunningServer(StandaloneServer server, FileTxnSnapLog files, ServerCnxnFactory connections,
			ContainerManager containers) {
		this.server = server;
		this.files = files;
		this.connections = connections;
		this.containers = containers;
	}

	static RunningServer start(int port, Path dataDirectory, Duration tickTime, Duration containerCheckInterval,
			int containersPerMinute) {
		// Unrecoverable server errors would end the JVM otherwise
		ServiceUtils.setSystemExitProcedure((code) -> logger.error("ZooKeeper server failed with exit code {}", code));
		ServerCnxnFactory connections = bind(port);
		try {
			FileTxnSnapLog files = openFiles(dataDirectory);
			try {
				return start(files, connections, tickTime, containerCheckInterval, containersPerMinute);
			}
			catch (Throwable ex) {
				files.close();
				throw ex;
			}
		}
		catch (InterruptedException ex) {
			shutDown(connections);
			Thread.currentThread().interrupt();
			throw new ZooKeeperStartException("Interrupted while ZooKeeper server started on port " + port, ex);
		}
		// A damaged snapshot or log can make ZooKeeper throw anything
		catch (IOException | RuntimeException | Error ex) {
			shutDown(connections);
			throw new ZooKeeperStartException(
					"ZooKeeper server on port %d cannot use the data in '%s': %s".formatted(port, dataDirectory, ex),
					ex);
		}
	}

	private static RunningServer start(FileTxnSnapLog files, ServerCnxnFactory connections, Duration tickTime,
			Duration containerCheckInterval, int containersPerMinute) throws IOException, InterruptedException {
		StandaloneServer server = new StandaloneServer(files, Math.toIntExact(tickTime.toMillis()));
		connections.startup(server);
		ContainerManager containers = new ContainerManager(server.getZKDatabase(), server.firstProcessor(),
				Math.toIntExact(containerCheckInterval.toMillis()), containersPerMinute);
		containers.start();
		return new RunningServer(server, files, connections, containers);
	}

	private static ServerCnxnFactory bind(int port) {
		ServerCnxnFactory connections = newConnectionFactory();
		try {
			connections.configure(Loopback.address(port), 0);
			return connections;
		}
		catch (BindException ex) {
			shutDown(connections);
			throw new ZooKeeperStartException(
					"Port %d on %s is in use or not allowed: %s".formatted(port, Loopback.HOST, ex.getMessage()), ex);
		}
		catch (IOException | RuntimeException | Error ex) {
			shutDown(connections);
			throw new ZooKeeperStartException("Cannot listen on port %d: %s".formatted(port, ex), ex);
		}
	}

	/**
	 * Loading the factory's class replaces the JVM's default handler of uncaught
	 * exceptions, which is not ours to change.
	 */
	private static ServerCnxnFactory newConnectionFactory() {
		Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
		try {
			return new NIOServerCnxnFactory();
		}
		finally {
			Thread.setDefaultUncaughtExceptionHandler(handler);
		}
	}

	private static FileTxnSnapLog openFiles(Path dataDirectory) throws IOException {
		return new FileTxnSnapLog(dataDirectory.toFile(), dataDirectory.toFile());
	}

	ZooKeeperServer server() {
		return this.server;
	}

	int port() {
		return this.connections.getLocalPort();
	}

	void stop() {
		this.containers.stop();
		shutDown(this.connections);
		try {
			this.files.close();
		}
		catch (IOException ex) {
			logger.warn("ZooKeeper server on port {} did not close its files", port(), ex);
		}
	}

	/**
	 * ZooKeeper stops half-way in an interrupted thread, and forgets the interrupt.
	 */
	private static void shutDown(ServerCnxnFactory connections) {
		boolean interrupted = Thread.interrupted();
		try {
			connections.shutdown();
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static final class StandaloneServer extends ZooKeeperServer {

		StandaloneServer(FileTxnSnapLog files, int tick) {
			super(files, tick, -1, Math.max(20 * tick, Math.toIntExact(MAX_SESSION_TIMEOUT.toMillis())), -1, null, "");
		}

		RequestProcessor firstProcessor() {
			return this.firstProcessor;
		}

	}

}
