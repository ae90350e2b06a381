package io.github.zklock.spring;

import org.jspecify.annotations.Nullable;

/**
 * Locks of another thread's call or of a publisher, made visible to this thread by
 * context propagation. It may look at their leases, but it does not hold them: they are
 * not entered again and not checked because of it.
 *
 * @param innermost what a thread to which this is propagated knows
 * @param before what had been propagated to the thread where this was captured
 */
record PropagatedLocks(LockStack innermost, @Nullable LockStack before) {

	/**
	 * By which contexts know it.
	 */
	static final String KEY = "io.github.zklock.current-lock";

	private static final ThreadLocal<@Nullable LockStack> propagated = new ThreadLocal<>();

	/**
	 * Return what the current thread holds, or what was propagated to it.
	 */
	static @Nullable LockStack known() {
		LockStack own = LockStack.current();
		return (own != null) ? own : propagated.get();
	}

	/**
	 * Find the innermost lock of a name that the current thread holds, or that was
	 * propagated to it.
	 */
	static @Nullable LockStack find(String name) {
		LockStack own = LockStack.find(LockStack.current(), name);
		return (own != null) ? own : LockStack.find(propagated.get(), name);
	}

	/**
	 * Return what the current thread knows, for other threads.
	 */
	static @Nullable PropagatedLocks capture() {
		LockStack known = known();
		return (known != null) ? new PropagatedLocks(known, propagated.get()) : null;
	}

	/**
	 * Propagate something to the current thread.
	 */
	static void set(@Nullable LockStack innermost) {
		if (innermost != null) {
			propagated.set(innermost);
		}
		else {
			propagated.remove();
		}
	}

}
