package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a lock cannot be acquired, or was lost. Its subclasses say what the caller
 * can do about it.
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String name;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param message what happened, naming the lock
	 * @param cause why, if that is known
	 */
	protected LockException(String name, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.name = name;
	}

	/**
	 * Return the name of the lock in question, exactly. The message shows it as
	 * {@link LockNames#shown(String)} says.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

}
