package io.github.zklock.engine;

import java.time.Duration;

/**
 * How sessions are made.
 *
 * @param store opens them
 * @param timeout the wanted session timeout
 * @param connectTimeout how long to wait for a handle that somebody asks for
 * @param serverTick the servers' tick, which no client can find out
 * @param maxNodeBytes how many bytes the paths of a session's nodes may have together
 * @param platform gives the time
 */
record SessionSettings(NodeStore store, Duration timeout, Duration connectTimeout, Duration serverTick,
		int maxNodeBytes, Platform platform) {

	/**
	 * Return where the nodes are, for messages.
	 */
	String place() {
		return "%s (%s)".formatted(this.store.name(), this.store.address());
	}

	OwnNodes newOwnNodes() {
		return new OwnNodes(this.store.prefixBytes(), this.maxNodeBytes);
	}

}
