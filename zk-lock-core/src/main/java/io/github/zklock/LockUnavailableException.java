package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when ZooKeeper could not be asked for a lock, or refused the request. Nobody
 * knows whether the lock is free.
 */
public class LockUnavailableException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param message what happened, naming the lock
	 * @param cause why, if that is known
	 */
	public LockUnavailableException(String name, String message, @Nullable Throwable cause) {
		super(name, message, cause);
	}

}
