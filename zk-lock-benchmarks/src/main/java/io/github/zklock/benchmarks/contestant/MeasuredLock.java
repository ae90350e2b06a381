package io.github.zklock.benchmarks.contestant;

/**
 * A lock in the hands of one thread.
 */
public interface MeasuredLock {

	/**
	 * Wait for the lock.
	 */
	void acquire() throws Exception;

	/**
	 * Take the lock if it is free, without waiting.
	 * @return whether it was free
	 */
	default boolean tryAcquire() throws Exception {
		throw new UnsupportedOperationException();
	}

	/**
	 * Release the lock. It is free when this returns.
	 */
	void release() throws Exception;

}
