package io.github.zklock.local;

import io.github.zklock.engine.NodeStore;

/**
 * Gives other tests a store without a registry.
 */
public final class LocalStores {

	private LocalStores() {
	}

	public static NodeStore create() {
		return new LocalNodes(System::currentTimeMillis);
	}

}
