package io.github.zklock.zookeeper;

import io.github.zklock.engine.EngineSettings;

/**
 * Gives tests of the engine the options that only they have.
 */
public final class Options {

	private Options() {
	}

	public static EngineSettings of(ZooKeeperLocks.Builder builder) {
		return builder.engine();
	}

}
