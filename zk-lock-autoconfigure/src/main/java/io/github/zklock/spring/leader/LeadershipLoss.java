package io.github.zklock.spring.leader;

import java.util.concurrent.CompletionException;

import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import io.github.zklock.LossReason;
import io.github.zklock.leader.LeaderWork;
import org.jspecify.annotations.Nullable;

/**
 * What callers are told about leadership that was lost in the middle of a call.
 *
 * @param role the role
 */
record LeadershipLoss(String role) {

	/**
	 * Say that leadership was lost before work had ended.
	 * @param cause what has failed because of that, if something has
	 */
	LockLostException exception(LeaderWork work, @Nullable Throwable cause) {
		if (work.loss().orElse(null) instanceof LockLostException loss) {
			return new LockLostException(this.role, String.valueOf(loss.getMessage()), loss.reason(), cause);
		}
		return new LockLostException(this.role,
				"Leadership of role '%s' was lost: another process may lead now".formatted(LockNames.shown(this.role)),
				LossReason.GIVEN_UP, cause);
	}

	/**
	 * Mention the loss in a failure, which stays what it is.
	 */
	void mentionIn(Throwable failure, LeaderWork work) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : null;
		Throwable target = (cause != null) ? cause : failure;
		if (!(target instanceof LockLostException lost && lost.name().equals(this.role))) {
			target.addSuppressed(exception(work, null));
		}
	}

}
