package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockRegistry;
import io.github.zklock.LossInterrupt;
import io.github.zklock.LossReason;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;
import org.jspecify.annotations.Nullable;

/**
 * Locks of one thread, which are lost when and where a test wants it, and whose leases
 * can fail to close.
 */
final class FakeLocks implements LockRegistry {

	private final Map<String, FakeLease> held = new HashMap<>();

	private @Nullable RuntimeException closeFailure;

	private boolean hidingLeases;

	FakeLocks failOnClose(RuntimeException failure) {
		this.closeFailure = failure;
		return this;
	}

	/**
	 * Do not tell of leases any more, as if they had been closed between two steps.
	 */
	FakeLocks hideLeases() {
		this.hidingLeases = true;
		return this;
	}

	/**
	 * Return the names of what is held.
	 */
	List<String> held() {
		return this.held.keySet().stream().sorted().toList();
	}

	@Override
	public NamedLock lock(String name) {
		return new FakeLock(name);
	}

	@Override
	public NamedLock readLock(String name) {
		return lock(name);
	}

	@Override
	public NamedLock writeLock(String name) {
		return lock(name);
	}

	@Override
	public LeaderElection election(String role) {
		throw new UnsupportedOperationException();
	}

	final class FakeLock implements NamedLock {

		private final String name;

		FakeLock(String name) {
			this.name = name;
		}

		@Override
		public boolean tryLock() {
			FakeLocks.this.held.computeIfAbsent(this.name, FakeLease::new).entries++;
			return true;
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) {
			return tryLock();
		}

		@Override
		public void lock() {
			tryLock();
		}

		@Override
		public void lockInterruptibly() {
			tryLock();
		}

		@Override
		public void unlock() {
			FakeLease lease = FakeLocks.this.held.get(this.name);
			if (lease == null) {
				throw new IllegalMonitorStateException();
			}
			if (--lease.entries == 0) {
				lease.close();
			}
		}

		@Override
		public Optional<LockLease> lease() {
			return Optional.ofNullable(FakeLocks.this.hidingLeases ? null : FakeLocks.this.held.get(this.name));
		}

		@Override
		public boolean isHeldByCurrentThread() {
			return lease().isPresent();
		}

		@Override
		public LockLease acquire() {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<LockLease> tryAcquire(Duration maxWait) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<LockLease> acquireAsync(Duration maxWait) {
			return CompletableFuture.completedFuture(new FakeLease(this.name));
		}

	}

	final class FakeLease implements LockLease {

		private final String name;

		private final List<Runnable> actions = new ArrayList<>();

		private int entries;

		private volatile boolean lost;

		private volatile boolean closed;

		FakeLease(String name) {
			this.name = name;
		}

		/**
		 * Lose the lock, and do at once what is to be done then.
		 */
		void lose() {
			this.lost = true;
			List<Runnable> actions;
			synchronized (this) {
				actions = List.copyOf(this.actions);
			}
			actions.forEach(Runnable::run);
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public long fencingToken() {
			if (this.lost) {
				throw new LockLostException(this.name, "lost", LossReason.LEASE_ENDED, null);
			}
			if (this.closed) {
				throw new IllegalStateException("closed");
			}
			return 1;
		}

		@Override
		public boolean isHeld() {
			return !this.lost && !this.closed;
		}

		@Override
		public boolean isLost() {
			return this.lost;
		}

		@Override
		public Optional<LockLostException> loss() {
			return this.lost ? Optional
				.of(new LockLostException(this.name, "Lock '" + this.name + "' was lost", LossReason.LEASE_ENDED, null))
					: Optional.empty();
		}

		@Override
		public synchronized void onLost(Runnable action) {
			this.actions.add(action);
		}

		/**
		 * Return how much there is still to do in case of loss.
		 */
		synchronized long actions() {
			return this.actions.stream()
				.filter((action) -> !(action instanceof LossInterrupt interrupt && interrupt.isOver()))
				.count();
		}

		@Override
		public void close(Duration minHold) {
			this.closed = true;
			FakeLocks.this.held.remove(this.name);
			if (FakeLocks.this.closeFailure != null) {
				throw FakeLocks.this.closeFailure;
			}
		}

		@Override
		public CompletableFuture<Void> closeAsync(Duration minHold) {
			close();
			return CompletableFuture.completedFuture(null);
		}

	}

}
