package io.github.zklock.zookeeper;

import java.time.Duration;

/**
 * How sessions are made.
 *
 * @param address where ZooKeeper is, for messages
 * @param factory makes the handles
 * @param timeout the wanted session timeout
 * @param connectTimeout how long to wait for a handle that somebody asks for
 * @param serverTick the servers' tick, which no client can find out
 * @param chroot what the servers put before every path, as far as that is known
 * @param maxNodeBytes how many bytes the paths of a session's nodes may have together
 */
record SessionSettings(String address, ZooKeeperFactory factory, Duration timeout, Duration connectTimeout,
		Duration serverTick, String chroot, int maxNodeBytes) {

	OwnNodes newOwnNodes() {
		return new OwnNodes(this.chroot, this.maxNodeBytes);
	}

}
