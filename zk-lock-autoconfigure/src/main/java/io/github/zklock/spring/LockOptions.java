package io.github.zklock.spring;

import java.time.Duration;
import java.util.function.Function;

import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LockTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A lock and how to take it, as {@link DistributedLock} says it. Immutable:
 *
 * <pre class="code">
 * LockOptions.of("invoice-42").maxWait(Duration.ofSeconds(2)).onLost(OnLost.INTERRUPT)
 * </pre>
 *
 * @param name the lock's name
 * @param mode whether others may hold it at the same time
 * @param maxWait how long to wait while others hold it, null for the default: that of the
 * template with {@link OnContention#THROW}, and not to wait otherwise
 * @param onContention what to do if others hold it for longer
 * @param fallback what gives the result with {@link OnContention#FALLBACK}, or that of a
 * call that is skipped, which is null without it
 * @param minHold how long the lock is kept from everybody at least, counted from its
 * grant
 * @param onLost what to do if it is lost
 */
public record LockOptions(String name, LockMode mode, @Nullable Duration maxWait, OnContention onContention,
		@Nullable Function<LockTimeoutException, ? extends @Nullable Object> fallback, Duration minHold,
		OnLost onLost) {

	/**
	 * Check the options.
	 * @throws IllegalArgumentException if the name is empty, a duration negative, or if
	 * there is a fallback with {@link OnContention#THROW}
	 */
	public LockOptions {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("A lock's name must not be empty");
		}
		requireNotNegative(name, "maxWait", maxWait);
		requireNotNegative(name, "minHold", minHold);
		if (fallback != null && onContention == OnContention.THROW) {
			throw new IllegalArgumentException(
					"Lock '%s' has a fallback, so 'onContention' must not be THROW".formatted(LockNames.shown(name)));
		}
	}

	private static void requireNotNegative(String name, String option, @Nullable Duration value) {
		if (value != null && value.isNegative()) {
			throw new IllegalArgumentException("'%s' of lock '%s' must not be negative but was %s".formatted(option,
					LockNames.shown(name), value));
		}
	}

	/**
	 * Take a lock exclusively, with all defaults.
	 * @param name the lock's name
	 * @return the options
	 */
	public static LockOptions of(String name) {
		return new LockOptions(name, LockMode.WRITE, null, OnContention.THROW, null, Duration.ZERO, OnLost.THROW);
	}

	/**
	 * Return the same options with another mode.
	 * @param mode whether others may hold the lock at the same time
	 * @return new options
	 */
	public LockOptions mode(LockMode mode) {
		return new LockOptions(this.name, mode, this.maxWait, this.onContention, this.fallback, this.minHold,
				this.onLost);
	}

	/**
	 * Return the same options with another wait.
	 * @param maxWait how long to wait while others hold the lock
	 * @return new options
	 */
	public LockOptions maxWait(Duration maxWait) {
		return new LockOptions(this.name, this.mode, maxWait, this.onContention, this.fallback, this.minHold,
				this.onLost);
	}

	/**
	 * Return the same options with another policy for contention. The result of a call
	 * that is skipped is null.
	 * @param onContention what to do if others hold the lock for longer
	 * @return new options
	 */
	public LockOptions onContention(OnContention onContention) {
		return new LockOptions(this.name, this.mode, this.maxWait, onContention,
				(onContention == this.onContention) ? this.fallback : null, this.minHold, this.onLost);
	}

	/**
	 * Return the same options with {@link OnContention#FALLBACK}.
	 * @param fallback gives the result, without the lock, if others hold it for longer
	 * @return new options
	 */
	public LockOptions fallback(Function<LockTimeoutException, ? extends @Nullable Object> fallback) {
		return new LockOptions(this.name, this.mode, this.maxWait, OnContention.FALLBACK, fallback, this.minHold,
				this.onLost);
	}

	/**
	 * Return the same options with another least time.
	 * @param minHold how long the lock is kept from everybody at least
	 * @return new options
	 */
	public LockOptions minHold(Duration minHold) {
		return new LockOptions(this.name, this.mode, this.maxWait, this.onContention, this.fallback, minHold,
				this.onLost);
	}

	/**
	 * Return the same options with another policy for a loss.
	 * @param onLost what to do if the lock is lost
	 * @return new options
	 */
	public LockOptions onLost(OnLost onLost) {
		return new LockOptions(this.name, this.mode, this.maxWait, this.onContention, this.fallback, this.minHold,
				onLost);
	}

}
