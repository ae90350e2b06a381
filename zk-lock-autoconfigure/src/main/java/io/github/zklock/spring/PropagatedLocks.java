package io.github.zklock.spring;

import org.jspecify.annotations.Nullable;

/**
 * Locks of which a thread was told that another thread's call, or a publisher, holds
 * them. It may look at their leases, but it does not hold them: they are not entered
 * again and not checked because of it.
 *
 * @param innermost what a thread that is told of this knows
 * @param before what the thread where this was captured had been told
 */
record PropagatedLocks(LockStack innermost, @Nullable LockStack before) {

	/**
	 * By which contexts know it.
	 */
	static final String KEY = "io.github.zklock.current-lock";

	private static final ThreadLocal<@Nullable LockStack> told = new ThreadLocal<>();

	/**
	 * Return what the current thread holds, or was told of.
	 */
	static @Nullable LockStack known() {
		LockStack own = LockStack.current();
		return (own != null) ? own : told.get();
	}

	/**
	 * Find the innermost lock of a name that the current thread holds, or was told of.
	 */
	static @Nullable LockStack find(String name) {
		LockStack own = LockStack.find(LockStack.current(), name);
		return (own != null) ? own : LockStack.find(told.get(), name);
	}

	/**
	 * Return what the current thread knows, to tell others.
	 */
	static @Nullable PropagatedLocks capture() {
		LockStack known = known();
		return (known != null) ? new PropagatedLocks(known, told.get()) : null;
	}

	/**
	 * Tell the current thread.
	 */
	static void tell(@Nullable LockStack innermost) {
		if (innermost != null) {
			told.set(innermost);
		}
		else {
			told.remove();
		}
	}

}
