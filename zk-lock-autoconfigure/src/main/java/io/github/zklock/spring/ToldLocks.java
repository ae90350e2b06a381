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
record ToldLocks(HeldLock innermost, @Nullable HeldLock before) {

	/**
	 * By which contexts know it.
	 */
	static final String KEY = "io.github.zklock.current-lock";

	private static final ThreadLocal<@Nullable HeldLock> told = new ThreadLocal<>();

	/**
	 * Return what the current thread holds, or was told of.
	 */
	static @Nullable HeldLock known() {
		HeldLock own = HeldLock.current();
		return (own != null) ? own : told.get();
	}

	/**
	 * Find the innermost lock of a name that the current thread holds, or was told of.
	 */
	static @Nullable HeldLock find(String name) {
		HeldLock own = HeldLock.find(HeldLock.current(), name);
		return (own != null) ? own : HeldLock.find(told.get(), name);
	}

	/**
	 * Return what the current thread knows, to tell others.
	 */
	static @Nullable ToldLocks capture() {
		HeldLock known = known();
		return (known != null) ? new ToldLocks(known, told.get()) : null;
	}

	/**
	 * Tell the current thread.
	 */
	static void tell(@Nullable HeldLock innermost) {
		if (innermost != null) {
			told.set(innermost);
		}
		else {
			told.remove();
		}
	}

}
