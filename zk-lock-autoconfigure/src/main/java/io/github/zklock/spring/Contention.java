package io.github.zklock.spring;

import java.util.function.Function;

import io.github.zklock.LockNames;
import io.github.zklock.LockTimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done instead of a call if others hold one of its locks.
 */
final class Contention {

	private static final Logger logger = LoggerFactory.getLogger(LockTemplate.class);

	private Contention() {
	}

	/**
	 * Do what the options of the lock want.
	 * @return what the fallback has returned; null if the call is skipped
	 * @throws LockTimeoutException if the caller is to know
	 */
	static @Nullable Object handle(LockOptions refused) {
		if (refused.onContention() == OnContention.THROW) {
			throw BlockingCall.timeout(refused);
		}
		logger.debug("Lock '{}' is held by others: the call that needs it is skipped, or replaced by its fallback",
				LockNames.shown(refused.name()));
		Function<LockTimeoutException, ? extends @Nullable Object> fallback = refused.fallback();
		return (fallback != null) ? fallback.apply(BlockingCall.timeout(refused)) : null;
	}

}
