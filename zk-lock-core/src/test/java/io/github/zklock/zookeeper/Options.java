package io.github.zklock.zookeeper;

import io.github.zklock.engine.EngineSettings;
import io.github.zklock.engine.NodeStore;

/**
 * Gives tests of the engine what users do not have.
 */
public final class Options {

	private Options() {
	}

	public static EngineSettings of(ZooKeeperLocks.Builder builder) {
		return builder.engine();
	}

	/**
	 * Return a store without a registry.
	 */
	public static NodeStore nodes(ZooKeeperLocks.Builder builder) {
		return builder.nodes();
	}

}
