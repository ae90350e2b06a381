package io.github.zklock.benchmarks.contestant;

/**
 * What a contestant can do.
 */
public enum Capability {

	/**
	 * Take a lock that is free, and release it.
	 */
	CYCLE,

	/**
	 * Wait for a lock that others hold.
	 */
	QUEUE,

	/**
	 * Be refused at once if others hold the lock.
	 */
	TRY,

	/**
	 * Enter a lock again that the thread holds.
	 */
	REENTRY,

	/**
	 * Read and write locks.
	 */
	READ_WRITE,

	/**
	 * Leader elections.
	 */
	ELECTION

}
