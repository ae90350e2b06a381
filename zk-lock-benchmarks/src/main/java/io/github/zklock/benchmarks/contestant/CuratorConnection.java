package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Opens Curator's clients.
 */
final class CuratorConnection {

	private static final int CONNECT_TIMEOUT_MILLIS = 60_000;

	private CuratorConnection() {
	}

	static CuratorFramework open(String connectString, Duration sessionTimeout) throws InterruptedException {
		CuratorFramework curator = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(Math.toIntExact(sessionTimeout.toMillis()))
			.connectionTimeoutMs(CONNECT_TIMEOUT_MILLIS)
			.retryPolicy(new ExponentialBackoffRetry(100, 3))
			.build();
		curator.start();
		if (!curator.blockUntilConnected(CONNECT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
			curator.close();
			throw new IllegalStateException("No connection to " + connectString);
		}
		return curator;
	}

}
