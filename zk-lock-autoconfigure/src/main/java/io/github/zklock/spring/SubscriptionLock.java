package io.github.zklock.spring;

import io.github.zklock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A lock that a publisher holds, and those of the publishers around it, as the context of
 * a subscription tells it. Immutable.
 *
 * @param held the lock
 * @param mode how it was granted
 * @param leases the locks of the call that has taken it
 * @param outer what the publisher around this one holds, null if there is none
 */
record SubscriptionLock(LockStack held, LockMode mode, SharedLeases leases, @Nullable SubscriptionLock outer) {

	/**
	 * By which contexts know it.
	 */
	static final Object KEY = SubscriptionLock.class;

	/**
	 * Find the innermost lock of a name.
	 */
	static @Nullable SubscriptionLock find(@Nullable SubscriptionLock innermost, String name) {
		SubscriptionLock entered = innermost;
		while (entered != null && !entered.held().name().equals(name)) {
			entered = entered.outer();
		}
		return entered;
	}

	static @Nullable LockStack heldOf(@Nullable SubscriptionLock innermost) {
		return (innermost != null) ? innermost.held() : null;
	}

}
