package io.github.zklock.spring;

import org.jspecify.annotations.Nullable;

/**
 * What to do while a lock is held.
 *
 * @param <T> what comes of it
 * @param <E> what it may throw
 */
@FunctionalInterface
public interface LockAction<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Do it.
	 * @return what comes of it
	 * @throws E if it fails
	 */
	T run() throws E;

}
