package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when ZooKeeper could not be asked for a lock, or refused the request. Nobody
 * knows whether the lock is free. The message names the address of ZooKeeper, and the
 * option or property to look at.
 */
public class LockUnavailableException extends LockException {

	private static final long serialVersionUID = 1L;

	private final UnavailableReason reason;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param message what happened, naming the lock
	 * @param reason why ZooKeeper could not be asked
	 * @param cause what has failed, if that is known
	 */
	public LockUnavailableException(String name, String message, UnavailableReason reason, @Nullable Throwable cause) {
		super(name, message, cause);
		this.reason = reason;
	}

	/**
	 * Return why ZooKeeper could not be asked.
	 * @return the reason
	 */
	public UnavailableReason reason() {
		return this.reason;
	}

}
