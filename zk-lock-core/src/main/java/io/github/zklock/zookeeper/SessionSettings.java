package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

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
 * @param servers gives the servers of the latest handle, null if they are not known
 * @param wallClock the time, as {@link System#currentTimeMillis()}
 */
record SessionSettings(String address, ZooKeeperFactory factory, Duration timeout, Duration connectTimeout,
		Duration serverTick, String chroot, int maxNodeBytes, Supplier<@Nullable ServerAddresses> servers,
		LongSupplier wallClock) {

	OwnNodes newOwnNodes() {
		return new OwnNodes(this.chroot, this.maxNodeBytes);
	}

}
