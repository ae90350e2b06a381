package io.github.zklock.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.zklock.autoconfigure.ZkLockProperties.Embedded;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.ZooKeeperStartException;
import io.github.zklock.spring.LockConfigurationException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;

/**
 * Leads to a ZooKeeper server inside this application, or to the one that was there
 * before on the same port: a second application on the same host uses the server of the
 * first.
 */
final class EmbeddedZooKeeperConnectionDetails implements ZooKeeperConnectionDetails, DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedZooKeeperConnectionDetails.class);

	private final @Nullable EmbeddedZooKeeper server;

	private final String connectString;

	EmbeddedZooKeeperConnectionDetails(ZkLockProperties properties) {
		Embedded embedded = properties.embedded();
		EmbeddedZooKeeper started = null;
		try {
			started = start(embedded);
		}
		catch (ZooKeeperStartException ex) {
			requireOtherServer(embedded, properties.session().connectTimeout(), ex);
		}
		this.server = started;
		this.connectString = (started != null) ? started.connectString() : connectString(embedded);
		if (started != null) {
			logger.warn("ZooKeeper runs inside this application at {}, for development only:"
					+ " applications with a server of their own do not exclude each other", this.connectString);
		}
		else {
			logger.warn("Port {} is taken: this application uses the ZooKeeper that listens there, as long as it does",
					embedded.port());
		}
	}

	private static EmbeddedZooKeeper start(Embedded embedded) {
		EmbeddedZooKeeper.Builder builder = EmbeddedZooKeeper.builder().port(embedded.port());
		Path directory = embedded.dataDir();
		if (directory != null) {
			builder.dataDirectory(directory);
		}
		return builder.start();
	}

	private static String connectString(Embedded embedded) {
		return "127.0.0.1:" + embedded.port();
	}

	/**
	 * Find out whether another ZooKeeper is there. It may be just starting, and have
	 * taken the data directory before the port.
	 */
	private static void requireOtherServer(Embedded embedded, Duration patience, ZooKeeperStartException cause) {
		if (embedded.port() != 0 && isZooKeeper(connectString(embedded), patience)) {
			return;
		}
		if (embedded.port() != 0 && isTaken(embedded.port())) {
			throw new LockConfigurationException(
					"'zk.lock.embedded.port' is %d, but something that is not ZooKeeper listens there."
						.formatted(embedded.port()),
					"Set 'zk.lock.embedded.port' to another port, or to 0 for any free one.", cause);
		}
		throw new LockConfigurationException(
				"The embedded ZooKeeper server cannot be started: %s.".formatted(cause.getMessage()),
				"Check 'zk.lock.embedded.port' and 'zk.lock.embedded.data-dir'.", cause);
	}

	private static boolean isZooKeeper(String connectString, Duration patience) {
		CountDownLatch connected = new CountDownLatch(1);
		try {
			ZooKeeper client = new ZooKeeper(connectString, Math.toIntExact(patience.toMillis()), (event) -> {
				if (event.getState() == KeeperState.SyncConnected) {
					connected.countDown();
				}
			});
			try {
				return connected.await(patience.toMillis(), TimeUnit.MILLISECONDS);
			}
			finally {
				client.close();
			}
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private static boolean isTaken(int port) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public String getConnectString() {
		return this.connectString;
	}

	@Override
	public void destroy() {
		if (this.server != null) {
			this.server.close();
		}
	}

}
