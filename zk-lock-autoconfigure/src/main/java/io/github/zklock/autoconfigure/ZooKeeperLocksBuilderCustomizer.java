package io.github.zklock.autoconfigure;

import io.github.zklock.zookeeper.ZooKeeperLocks;

/**
 * Changes how the locks on ZooKeeper are made, after the properties were applied. All
 * beans of this type are called in their order, once, when the client is made, so they
 * cannot need the registry themselves.
 */
@FunctionalInterface
public interface ZooKeeperLocksBuilderCustomizer {

	/**
	 * Change the options.
	 * @param builder the options
	 */
	void customize(ZooKeeperLocks.Builder builder);

}
