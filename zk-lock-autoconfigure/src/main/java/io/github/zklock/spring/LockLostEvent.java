package io.github.zklock.spring;

import io.github.zklock.LockNames;

/**
 * Published when a lock was lost while it was held.
 *
 * @param name the lock's name
 */
public record LockLostEvent(String name) {

	/**
	 * Says no more of the name than a log can bear.
	 */
	@Override
	public String toString() {
		return "LockLostEvent[name=%s]".formatted(LockNames.shown(this.name));
	}

}
