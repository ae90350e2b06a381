package io.github.zklock.spring;

import org.jspecify.annotations.Nullable;

/**
 * What to do while a lock is held.
 *
 * @param <T> the type of the result
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LockAction<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Run the action.
	 * @return the result
	 * @throws E if it fails
	 */
	T run() throws E;

}
