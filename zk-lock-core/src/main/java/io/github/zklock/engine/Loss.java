package io.github.zklock.engine;

import java.util.function.Supplier;

import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import io.github.zklock.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * Why something was lost. The text is made when somebody reads it: when a loss is noticed
 * there may be thousands of them, and no memory.
 *
 * @param reason the reason
 * @param text says what happened, for the end of a sentence
 */
record Loss(LossReason reason, Supplier<String> text) {

	static final Loss BROKEN = of(LossReason.BROKEN_ON_REQUEST,
			"it was broken by LockInspector.breakLock in this process");

	static final Loss CLOSED = of(LossReason.REGISTRY_CLOSED, "the registry was closed, and its wait for holders"
			+ " ('closeWait', zk.lock.shutdown.wait) was over before it was given back");

	static final Loss GIVEN_UP = of(LossReason.GIVEN_UP, "this process has given it up, and its wait for running work"
			+ " ('handOverWait', zk.lock.leader.hand-over-wait) was over before the work had ended");

	static final Loss INTERNAL_ERROR = of(LossReason.INTERNAL_ERROR,
			"an unexpected error in this process, see the log of 'io.github.zklock'");

	static Loss of(LossReason reason, String text) {
		return new Loss(reason, () -> text);
	}

	/**
	 * Somebody has deleted a node.
	 * @param node the node's path
	 */
	static Loss deleted(String node) {
		return new Loss(LossReason.NODE_DELETED,
				() -> "its node '%s' is gone: somebody has deleted it, or another process has broken the lock"
					.formatted(node));
	}

	/**
	 * ZooKeeper does not let this process go on.
	 */
	static Loss of(Failure failure) {
		return switch (failure.reason()) {
			case INTERNAL_ERROR -> INTERNAL_ERROR;
			default -> new Loss(LossReason.REFUSED, failure::text);
		};
	}

	/**
	 * Return whether this process has given it up by itself.
	 */
	boolean isOwnWill() {
		return this.reason == LossReason.GIVEN_UP || this.reason == LossReason.REGISTRY_CLOSED;
	}

	String description() {
		return this.text.get();
	}

	LockLostException ofLock(String name, long heldMillis, @Nullable Throwable cause) {
		return new LockLostException(name, "Lock '%s' was lost after %d ms: %s; another process may hold it now"
			.formatted(LockNames.shown(name), heldMillis, description()), this.reason, cause);
	}

	LockLostException ofRole(String role, long ledMillis, @Nullable Throwable cause) {
		return new LockLostException(role,
				"Leadership of role '%s' was lost after %d ms: %s; another process may lead now"
					.formatted(LockNames.shown(role), ledMillis, description()),
				this.reason, cause);
	}

}
