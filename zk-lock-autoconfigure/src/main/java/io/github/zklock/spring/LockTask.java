package io.github.zklock.spring;

/**
 * What to do while a lock is held, without a result.
 *
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LockTask<E extends Throwable> {

	/**
	 * Run the task.
	 * @throws E if it fails
	 */
	void run() throws E;

}
