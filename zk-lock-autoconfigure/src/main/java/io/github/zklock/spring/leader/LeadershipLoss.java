package io.github.zklock.spring.leader;

import java.util.concurrent.CompletionException;

import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * What callers are told about leadership that was lost in the middle of a call.
 *
 * @param role the role
 */
record LeadershipLoss(String role) {

	LockLostException exception(@Nullable Throwable cause) {
		return new LockLostException(this.role,
				"Leadership of role '%s' was lost before its work had ended: ".formatted(LockNames.shown(this.role))
						+ "another process may lead since",
				cause);
	}

	/**
	 * Mention the loss in a failure, which stays what it is.
	 */
	void mentionIn(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : null;
		Throwable target = (cause != null) ? cause : failure;
		if (!(target instanceof LockLostException lost && lost.name().equals(this.role))) {
			target.addSuppressed(exception(null));
		}
	}

}
