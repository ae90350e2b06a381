package io.github.zklock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * What is needed to connect to ZooKeeper.
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return where ZooKeeper is.
	 * @return comma-separated {@code host:port}, optionally followed by a path
	 */
	String getConnectString();

	/**
	 * Return what to connect with by TLS.
	 * @return the bundle, null to connect without TLS
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
