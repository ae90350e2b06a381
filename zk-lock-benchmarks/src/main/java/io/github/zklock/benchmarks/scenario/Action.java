package io.github.zklock.benchmarks.scenario;

import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * What a thread does again and again.
 */
interface Action {

	void run() throws Exception;

	/**
	 * Take a lock and release it.
	 */
	static Action cycle(MeasuredLock lock) {
		return () -> {
			lock.acquire();
			lock.release();
		};
	}

	/**
	 * Ask for a lock that others hold, and be refused.
	 */
	static Action refusal(MeasuredLock lock) {
		return () -> {
			if (lock.tryAcquire()) {
				throw new IllegalStateException("Somebody else holds this lock, but it was granted: " + lock);
			}
		};
	}

}
