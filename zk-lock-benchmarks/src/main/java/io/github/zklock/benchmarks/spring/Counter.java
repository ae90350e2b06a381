package io.github.zklock.benchmarks.spring;

import io.github.zklock.spring.DistributedLock;

/**
 * What is called.
 */
public class Counter {

	private long count;

	/**
	 * Count under a lock whose name is fixed.
	 * @param step how far
	 * @return the count
	 */
	@DistributedLock("counter-1")
	public long fixed(long step) {
		this.count += step;
		return this.count;
	}

	/**
	 * Count under a lock whose name has an expression in it.
	 * @param step how far
	 * @return the count
	 */
	@DistributedLock("counter-#{#step}")
	public long named(long step) {
		this.count += step;
		return this.count;
	}

	/**
	 * Run something under the same lock.
	 * @param step the lock
	 * @param task what to run
	 */
	@DistributedLock("counter-#{#step}")
	public void within(long step, Runnable task) {
		task.run();
	}

}
