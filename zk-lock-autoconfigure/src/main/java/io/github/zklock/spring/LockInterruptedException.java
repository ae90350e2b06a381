package io.github.zklock.spring;

import io.github.zklock.LockException;
import io.github.zklock.LockNames;

/**
 * Thrown when a thread was interrupted while it waited for a lock, by methods that cannot
 * throw {@link InterruptedException}. The thread's interrupt flag is set again.
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param name the lock's name
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String name, InterruptedException cause) {
		super(name, "Interrupted while waiting for lock '%s'".formatted(LockNames.shown(name)), cause);
	}

}
