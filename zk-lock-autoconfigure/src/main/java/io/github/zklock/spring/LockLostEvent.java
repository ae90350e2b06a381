package io.github.zklock.spring;

import io.github.zklock.LockNames;
import io.github.zklock.LossReason;

/**
 * Published when a lock was lost while it was held.
 *
 * @param name the lock's name
 * @param reason why it was lost
 */
public record LockLostEvent(String name, LossReason reason) {

	/**
	 * Says no more of the name than a log can bear.
	 */
	@Override
	public String toString() {
		return "LockLostEvent[name=%s, reason=%s]".formatted(LockNames.shown(this.name), this.reason);
	}

}
