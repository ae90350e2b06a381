package io.github.zklock.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a ZooKeeper server cannot be started. The message names the port or the
 * directory in question; nothing of the failed start is left running.
 */
public final class ZooKeeperStartException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	ZooKeeperStartException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
