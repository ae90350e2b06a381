package io.github.zklock.spring.aop;

import java.time.Duration;

import io.github.zklock.LockMode;
import io.github.zklock.spring.OnContention;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * A {@code @DistributedLock} of a method, checked and ready for use.
 *
 * @param name the lock's name
 * @param mode whether others may hold it at the same time
 * @param maxWait how long to wait, null for the default
 * @param onContention what to do if others hold it for longer
 * @param fallback what to call instead
 * @param minHold how long it is kept from everybody at least
 * @param onLost what to do if it is lost
 */
record LockSpec(NameTemplate name, LockMode mode, @Nullable Duration maxWait, OnContention onContention,
		@Nullable FallbackMethod fallback, Duration minHold, OnLost onLost) {

}
