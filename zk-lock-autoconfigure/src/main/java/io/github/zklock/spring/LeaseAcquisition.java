package io.github.zklock.spring;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.NamedLock;
import org.jspecify.annotations.Nullable;

/**
 * Takes the locks of a call, one after the other, as leases that no thread owns: all or
 * none. Used once.
 */
final class LeaseAcquisition {

	private final LockRegistry registry;

	private final SharedLeases leases;

	private final Caller caller;

	private final long start = System.nanoTime();

	private volatile @Nullable CompletableFuture<LockLease> pending;

	/**
	 * Create an acquisition that has not begun.
	 * @param registry gives the locks
	 * @param leases gets the locks
	 * @param caller told what becomes of it
	 */
	LeaseAcquisition(LockRegistry registry, SharedLeases leases, Caller caller) {
		this.registry = registry;
		this.leases = leases;
		this.caller = caller;
	}

	/**
	 * Wait for the locks without a thread.
	 * @param locks the locks in the order in which they are taken
	 */
	void begin(List<LockOptions> locks) {
		if (this.caller.isEnded()) {
			this.leases.giveBack();
			return;
		}
		if (locks.isEmpty()) {
			this.caller.granted();
			return;
		}
		LockOptions lock = locks.get(0);
		CompletableFuture<LockLease> request;
		try {
			request = named(lock).acquireAsync(remaining(lock));
		}
		catch (RuntimeException | Error ex) {
			this.caller.fail(ex);
			return;
		}
		this.pending = request;
		request.whenComplete((lease, failure) -> {
			if (lease != null) {
				this.leases.add(lock, lease);
				begin(locks.subList(1, locks.size()));
			}
			else {
				notGranted(lock, StageCall.unwrap(failure));
			}
		});
		if (this.caller.isEnded()) {
			request.cancel(false);
		}
	}

	private void notGranted(LockOptions lock, Throwable failure) {
		if (failure instanceof LockTimeoutException) {
			this.leases.giveBack().whenComplete((givenBack, problem) -> this.caller.refused(lock));
		}
		else {
			this.caller.fail(failure);
		}
	}

	/**
	 * Leave the queue. To be called when the caller has ended.
	 */
	void cancel() {
		CompletableFuture<LockLease> request = this.pending;
		if (request != null) {
			request.cancel(false);
		}
	}

	/**
	 * Wait for the locks with the current thread.
	 * @param locks the locks in the order in which they are taken
	 */
	void run(List<LockOptions> locks) {
		for (LockOptions lock : locks) {
			try {
				Optional<LockLease> lease = named(lock).tryAcquire(remaining(lock));
				if (lease.isEmpty()) {
					this.leases.giveBackHere();
					this.caller.refused(lock);
					return;
				}
				this.leases.add(lock, lease.get());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				this.caller.fail(new LockInterruptedException(lock.name(), ex));
				return;
			}
			catch (RuntimeException | Error ex) {
				this.caller.fail(ex);
				return;
			}
		}
		this.caller.granted();
	}

	private NamedLock named(LockOptions lock) {
		return (lock.mode() == LockMode.READ) ? this.registry.readLock(lock.name())
				: this.registry.writeLock(lock.name());
	}

	private Duration remaining(LockOptions lock) {
		return Duration.ofNanos(ThreadEntry.remainingNanos(lock, this.start));
	}

	/**
	 * Wants the locks.
	 */
	interface Caller {

		/**
		 * Return whether the locks are not wanted any more.
		 */
		boolean isEnded();

		/**
		 * All locks are granted.
		 */
		void granted();

		/**
		 * Others hold a lock. The locks that were granted have been given back.
		 */
		void refused(LockOptions lock);

		/**
		 * A lock cannot be had. The locks that were granted are still to be given back.
		 */
		void fail(Throwable failure);

	}

}
