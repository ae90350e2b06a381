package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock was held and has been lost: somebody else may hold it by now. The
 * message says after how long, and why.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final LossReason reason;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param message what happened, naming the lock
	 * @param reason why the lock was lost
	 * @param cause what has failed because of that, if something has
	 */
	public LockLostException(String name, String message, LossReason reason, @Nullable Throwable cause) {
		super(name, message, cause);
		this.reason = reason;
	}

	/**
	 * Return why the lock was lost.
	 * @return the reason
	 */
	public LossReason reason() {
		return this.reason;
	}

}
