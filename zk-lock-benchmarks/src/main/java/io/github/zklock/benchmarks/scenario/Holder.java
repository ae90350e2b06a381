package io.github.zklock.benchmarks.scenario;

import io.github.zklock.benchmarks.contestant.MeasuredLock;
import org.jspecify.annotations.Nullable;

/**
 * Another thread that holds a lock and never releases it.
 */
final class Holder {

	private final MeasuredLock lock;

	private volatile @Nullable Exception failure;

	Holder(MeasuredLock lock) {
		this.lock = lock;
	}

	/**
	 * Take the lock.
	 */
	void hold() throws Exception {
		Thread thread = new Thread(() -> {
			try {
				this.lock.acquire();
			}
			catch (Exception ex) {
				this.failure = ex;
			}
		}, "holder");
		thread.start();
		thread.join();
		if (this.failure != null) {
			throw this.failure;
		}
	}

}
