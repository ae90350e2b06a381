package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock was held and has been lost: somebody else may hold it by now.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param message what happened, naming the lock
	 * @param cause why, if that is known
	 */
	public LockLostException(String name, String message, @Nullable Throwable cause) {
		super(name, message, cause);
	}

}
