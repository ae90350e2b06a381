package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock was not granted in time because others hold it: try again later.
 */
public class LockTimeoutException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param message what happened, naming the lock
	 * @param cause why, if that is known
	 */
	public LockTimeoutException(String name, String message, @Nullable Throwable cause) {
		super(name, message, cause);
	}

}
