package io.github.zklock.spring;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * A lock that a call holds, and those that the calls around it hold. Immutable.
 *
 * @param lease the lease
 * @param onLost what is to happen if it is lost
 * @param outer what the call around this one holds, null if there is none
 */
record LockStack(LockLease lease, OnLost onLost, @Nullable LockStack outer) {

	// Bound to the thread that runs the body of the call, and not inherited
	private static final ThreadLocal<@Nullable LockStack> current = new ThreadLocal<>();

	/**
	 * Return what the call that this thread runs holds.
	 */
	static @Nullable LockStack current() {
		return current.get();
	}

	/**
	 * Say what the call that this thread runs holds, from now on.
	 */
	static void bind(@Nullable LockStack held) {
		if (held != null) {
			current.set(held);
		}
		else {
			current.remove();
		}
	}

	/**
	 * Run something as a part of the call that holds the locks.
	 */
	static <T extends @Nullable Object, E extends Throwable> T within(@Nullable LockStack innermost,
			LockAction<T, E> action) throws E {
		LockStack before = current();
		bind(innermost);
		try {
			return action.run();
		}
		finally {
			bind(before);
		}
	}

	/**
	 * Find the innermost lock of a name.
	 */
	static @Nullable LockStack find(@Nullable LockStack innermost, String name) {
		LockStack held = innermost;
		while (held != null && !held.name().equals(name)) {
			held = held.outer();
		}
		return held;
	}

	/**
	 * Find the call around that answers for a lease.
	 */
	static @Nullable LockStack find(@Nullable LockStack innermost, LockLease lease) {
		LockStack held = innermost;
		while (held != null && !held.lease().equals(lease)) {
			held = held.outer();
		}
		return held;
	}

	/**
	 * Throw if one of the locks has been lost, unless that is to be ignored.
	 */
	static void requireAll(@Nullable LockStack innermost) {
		for (LockStack held = innermost; held != null; held = held.outer()) {
			if (held.onLost() != OnLost.IGNORE) {
				requireNotLost(held.lease());
			}
		}
	}

	String name() {
		return this.lease.name();
	}

	/**
	 * Throw if a lease has ended because the lock was lost.
	 */
	static void requireNotLost(LockLease lease) {
		LockLostException loss = loss(lease);
		if (loss != null) {
			throw loss;
		}
	}

	/**
	 * Say that a lock was lost, if it was, and not closed.
	 */
	static @Nullable LockLostException loss(LockLease lease) {
		return lease.isLost() ? lease.loss().orElse(null) : null;
	}

	/**
	 * Say that a lock was lost, and what has failed because of that.
	 */
	static LockLostException because(LockLostException loss, @Nullable Throwable failure) {
		return (failure != null)
				? new LockLostException(loss.name(), String.valueOf(loss.getMessage()), loss.reason(), failure) : loss;
	}

}
