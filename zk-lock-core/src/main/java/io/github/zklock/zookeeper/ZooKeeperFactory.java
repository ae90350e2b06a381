package io.github.zklock.zookeeper;

import java.io.IOException;

import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * Makes ZooKeeper handles: a new one for each session. Called on a thread of the registry
 * that must not be kept waiting.
 */
@FunctionalInterface
public interface ZooKeeperFactory {

	/**
	 * Make a handle. It need not be connected, and must not be one that was returned
	 * before: the registry closes it.
	 * @param watcher the default watcher of the handle
	 * @return the handle
	 * @throws IOException if no handle can be made now; the registry tries again
	 */
	ZooKeeper create(Watcher watcher) throws IOException;

}
