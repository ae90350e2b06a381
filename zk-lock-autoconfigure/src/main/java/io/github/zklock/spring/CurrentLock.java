package io.github.zklock.spring;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the running call holds, taken by {@link DistributedLock} or
 * {@link LockTemplate}. They are bound to the thread that runs the body, and other
 * threads do not inherit them. Publishers find them in their context, see
 * {@link ReactiveLockTemplate#currentLease()}. Where Micrometer's context propagation
 * carries them to another thread, that thread may look at their leases, but does not hold
 * them.
 */
public final class CurrentLock {

	private CurrentLock() {
	}

	/**
	 * Return the lease of the innermost lock.
	 * @return the lease
	 * @throws IllegalStateException if the running call holds no lock
	 */
	public static LockLease lease() {
		LockStack held = PropagatedLocks.known();
		if (held == null) {
			throw new IllegalStateException("The running call holds no lock: " + hint());
		}
		return held.lease();
	}

	/**
	 * Return the lease of a lock.
	 * @param name the lock's name
	 * @return the lease
	 * @throws IllegalStateException if the running call does not hold it
	 */
	public static LockLease lease(String name) {
		LockStack held = PropagatedLocks.find(name);
		if (held == null) {
			throw new IllegalStateException(
					"The running call does not hold lock '%s': %s".formatted(LockNames.shown(name), hint()));
		}
		return held.lease();
	}

	private static String hint() {
		return "thread '%s' is not inside a method with @DistributedLock that was called through its proxy"
			.formatted(Thread.currentThread().getName());
	}

	/**
	 * Throw unless the running call holds a lock.
	 * @throws IllegalStateException if it does not
	 * @throws LockLostException if it has lost the innermost one
	 */
	public static void assertHeld() {
		assertHeld(lease());
	}

	/**
	 * Throw unless the running call holds a lock.
	 * @param name the lock's name
	 * @throws IllegalStateException if it does not
	 * @throws LockLostException if it has lost it
	 */
	public static void assertHeld(String name) {
		assertHeld(lease(name));
	}

	private static void assertHeld(LockLease lease) {
		if (!lease.isHeld()) {
			LockStack.requireNotLost(lease);
			throw new IllegalStateException(
					"Lock '%s' has been given back already".formatted(LockNames.shown(lease.name())));
		}
	}

	/**
	 * Run a task as if it held a lock, without any, for plain unit tests.
	 * @param name the lock's name
	 * @param task what to run
	 */
	public static void simulate(String name, Runnable task) {
		@Nullable LockStack outer = LockStack.current();
		LockStack.bind(new LockStack(new SimulatedLease(name), OnLost.THROW, outer));
		try {
			task.run();
		}
		finally {
			LockStack.bind(outer);
		}
	}

	/**
	 * Held until it is closed.
	 */
	private static final class SimulatedLease implements LockLease {

		private static final AtomicLong tokens = new AtomicLong();

		private final String name;

		private final long token = tokens.incrementAndGet();

		private volatile boolean closed;

		SimulatedLease(String name) {
			this.name = name;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public long fencingToken() {
			if (this.closed) {
				throw new IllegalStateException("Lock '%s' has been given back".formatted(LockNames.shown(this.name)));
			}
			return this.token;
		}

		@Override
		public boolean isHeld() {
			return !this.closed;
		}

		@Override
		public boolean isLost() {
			return false;
		}

		@Override
		public Optional<LockLostException> loss() {
			return Optional.empty();
		}

		@Override
		public void onLost(Runnable action) {
			// never lost
		}

		@Override
		public void close(Duration minHold) {
			this.closed = true;
		}

		@Override
		public CompletableFuture<Void> closeAsync(Duration minHold) {
			close();
			return CompletableFuture.completedFuture(null);
		}

	}

}
