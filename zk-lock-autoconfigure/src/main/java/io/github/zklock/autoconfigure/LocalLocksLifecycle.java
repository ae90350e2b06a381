package io.github.zklock.autoconfigure;

import java.util.function.Supplier;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops the locks of the application context, as {@link ZooKeeperClient} does
 * with those in ZooKeeper.
 */
final class LocalLocksLifecycle implements SmartLifecycle, DisposableBean {

	private final Runs<LocalRun> runs;

	LocalLocksLifecycle(Supplier<LocalLocks> factory) {
		this.runs = new Runs<>("this application (zk.lock.type=local)", () -> new LocalRun(factory.get()));
	}

	Runs<LocalRun> runs() {
		return this.runs;
	}

	@Override
	public void start() {
		this.runs.start();
	}

	@Override
	public void stop() {
		this.runs.stop();
	}

	@Override
	public boolean isRunning() {
		return this.runs.isRunning();
	}

	@Override
	public int getPhase() {
		return ZooKeeperClient.PHASE;
	}

	@Override
	public void destroy() {
		this.runs.destroy();
	}

	record LocalRun(LocalLocks locks) implements Run {

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
			this.locks.close();
		}

	}

}
