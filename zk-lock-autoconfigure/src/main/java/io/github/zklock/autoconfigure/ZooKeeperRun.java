package io.github.zklock.autoconfigure;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.jspecify.annotations.Nullable;

/**
 * A run with locks in ZooKeeper.
 *
 * @param locks the locks
 * @param keyStores the files that the client needs for TLS, if any
 */
record ZooKeeperRun(ZooKeeperLocks locks, @Nullable KeyStoreFiles keyStores) implements Run {

	@Override
	public LockRegistry registry() {
		return this.locks;
	}

	@Override
	public LockInspector inspector() {
		return this.locks;
	}

	@Override
	public void close() {
		try {
			this.locks.close();
		}
		finally {
			if (this.keyStores != null) {
				this.keyStores.close();
			}
		}
	}

}
