package io.github.zklock.spring;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LossReason;
import io.github.zklock.NamedLock;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the current thread into a lock.
 */
final class ThreadEntry {

	private final LockOptions options;

	private final NamedLock lock;

	private final LockLease lease;

	// whether the thread held the lock before this entry
	private final boolean again;

	// the call around that has entered the same hold, and answers for it
	private final @Nullable LockStack around;

	// who needs the outermost entry: the call, the transaction around it, and calls that
	// have entered the lock again within that transaction
	private final AtomicInteger users = new AtomicInteger(1);

	// the entry that a transaction keeps for this one, too
	private @Nullable ThreadEntry keeper;

	private ThreadEntry(LockOptions options, NamedLock lock, LockLease lease, boolean again) {
		this.options = options;
		this.lock = lock;
		this.lease = lease;
		this.again = again;
		this.around = again ? LockStack.find(LockStack.current(), lease) : null;
	}

	/**
	 * Wait for a lock.
	 * @param waitNanos how long to wait
	 * @return the hold, null if others have the lock
	 */
	static @Nullable ThreadEntry enter(LockRegistry registry, LockOptions options, long waitNanos)
			throws InterruptedException {
		String name = options.name();
		boolean reading = options.mode() == LockMode.READ;
		NamedLock lock = reading ? registry.readLock(name) : registry.writeLock(name);
		Optional<LockLease> before = lock.lease()
			.or(() -> (reading ? registry.writeLock(name) : registry.readLock(name)).lease());
		if (!lock.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
			return null;
		}
		LockLease lease = lock.lease().orElse(null);
		if (lease == null) {
			unlock(lock);
			throw new LockLostException(name,
					"Lock '%s' was lost at once: its lease was closed, or the application was stopped, when it was granted"
						.formatted(LockNames.shown(name)),
					LossReason.REGISTRY_CLOSED, null);
		}
		boolean again = before.isPresent() && (lease.equals(before.get()) || !isClosed(before.get()));
		return new ThreadEntry(options, lock, lease, again);
	}

	/**
	 * Any thread may close a lease, also between two steps of this one.
	 */
	private static boolean isClosed(LockLease lease) {
		return !lease.isHeld() && !lease.isLost();
	}

	static long waitNanos(LockOptions options) {
		return TimeUnit.NANOSECONDS.convert(LockPlan.maxWait(options));
	}

	static long remainingNanos(LockOptions options, long startNanos) {
		return Math.max(0, waitNanos(options) - (System.nanoTime() - startNanos));
	}

	String name() {
		return this.options.name();
	}

	LockLease lease() {
		return this.lease;
	}

	/**
	 * Return what is to happen if the lock is lost: the outermost call decides.
	 */
	OnLost onLost() {
		return (this.around != null) ? this.around.onLost() : this.options.onLost();
	}

	/**
	 * Return whether this entry, and none of a call around it, has to answer for a loss.
	 */
	boolean isAccountable() {
		return this.around == null && this.options.onLost() != OnLost.IGNORE;
	}

	/**
	 * Say that the lock was lost, if it was and this entry has to answer for it.
	 */
	@Nullable LockLostException loss() {
		return isAccountable() ? LockStack.loss(this.lease) : null;
	}

	void requireNotLost() {
		LockLostException loss = loss();
		if (loss != null) {
			throw loss;
		}
	}

	/**
	 * If a transaction runs, it does not commit without the lock, and a lock that the
	 * thread did not hold before is left when both the call and the transaction have
	 * ended: a body may end a transaction that began outside.
	 */
	void keepForTransaction() {
		if (!TransactionBinding.isActive()) {
			return;
		}
		if (!this.again) {
			this.users.incrementAndGet();
			TransactionBinding.keep(this);
			return;
		}
		if (this.around == null) {
			// an earlier call has taken the lock, and has ended
			ThreadEntry earlier = TransactionBinding.keeper(this.lease);
			if (earlier != null) {
				earlier.users.incrementAndGet();
				this.keeper = earlier;
			}
		}
		if (isAccountable()) {
			TransactionBinding.require(this.lease);
		}
	}

	/**
	 * Leave the lock. The last one who needs the outermost entry frees it, or lets it
	 * linger. Not to be called by another thread if this is not the outermost entry.
	 */
	void leave() {
		if (!this.again) {
			if (this.users.decrementAndGet() == 0) {
				this.lease.close(this.options.minHold());
			}
			return;
		}
		unlock(this.lock);
		if (this.keeper != null) {
			this.keeper.leave();
		}
	}

	private static void unlock(NamedLock lock) {
		try {
			lock.unlock();
		}
		catch (LockLostException | IllegalMonitorStateException ex) {
			// whoever holds it outside of this entry is told
		}
	}

	/**
	 * Leave a lock that was not used.
	 */
	void giveBack() {
		if (!this.again) {
			this.lease.close();
		}
		else {
			leave();
		}
	}

}
