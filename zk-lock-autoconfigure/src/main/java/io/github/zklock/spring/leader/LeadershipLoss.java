package io.github.zklock.spring.leader;

import java.util.concurrent.CompletionException;

import io.github.zklock.LockLostException;
import io.github.zklock.leader.LeaderWork;
import org.jspecify.annotations.Nullable;

/**
 * What callers are told about leadership that was lost in the middle of a call.
 */
final class LeadershipLoss {

	private LeadershipLoss() {
	}

	/**
	 * Say that leadership was lost before work had ended.
	 * @param cause what has failed because of that, if something has
	 */
	static LockLostException of(LeaderWork work, @Nullable Throwable cause) {
		LockLostException loss = (LockLostException) work.loss().orElseThrow();
		return (cause != null)
				? new LockLostException(loss.name(), String.valueOf(loss.getMessage()), loss.reason(), cause) : loss;
	}

	/**
	 * Mention the loss in a failure, which stays what it is.
	 */
	static void mentionIn(Throwable failure, LeaderWork work) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : null;
		Throwable target = (cause != null) ? cause : failure;
		LockLostException loss = of(work, null);
		if (!(target instanceof LockLostException known && known.name().equals(loss.name()))) {
			target.addSuppressed(loss);
		}
	}

}
