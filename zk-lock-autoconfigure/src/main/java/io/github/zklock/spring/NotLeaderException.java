package io.github.zklock.spring;

import io.github.zklock.LockException;
import io.github.zklock.LockNames;

/**
 * Thrown by a call that only the leader may make, in a process that does not lead.
 */
public class NotLeaderException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param role what this process does not lead in
	 */
	public NotLeaderException(String role) {
		super(role, "This process does not lead in '%s'".formatted(LockNames.shown(role)), null);
	}

}
