package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock that outlives the runs of the application: each call goes to the current run. A
 * thread that holds it since an earlier run has lost it, and hears so.
 */
final class RestartableLock implements NamedLock {

	private final Runs<?> runs;

	private final String name;

	private final Kind kind;

	private volatile @Nullable Delegate latest;

	RestartableLock(Runs<?> runs, String name, Kind kind) {
		this.runs = runs;
		this.name = name;
		this.kind = kind;
	}

	// Owned by a thread

	@Override
	public void lock() {
		ofThreadOrThrow().lock();
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		ofThreadOrThrow().lockInterruptibly();
	}

	@Override
	public boolean tryLock() {
		return ofThreadOrThrow().tryLock();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return ofThreadOrThrow().tryLock(time, unit);
	}

	@Override
	public void unlock() {
		NamedLock lock = ofThread();
		if (lock == null) {
			throw new IllegalMonitorStateException(
					"%s is not held by thread '%s'".formatted(this, Thread.currentThread().getName()));
		}
		lock.unlock();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		NamedLock lock = ofThread();
		return lock != null && lock.isHeldByCurrentThread();
	}

	@Override
	public Optional<LockLease> lease() {
		NamedLock lock = ofThread();
		return (lock != null) ? lock.lease() : Optional.empty();
	}

	// Owned by whoever has the lease

	@Override
	public LockLease acquire() throws InterruptedException {
		return currentOrThrow().acquire();
	}

	@Override
	public Optional<LockLease> tryAcquire(Duration maxWait) throws InterruptedException {
		return currentOrThrow().tryAcquire(maxWait);
	}

	@Override
	public CompletableFuture<LockLease> acquireAsync(Duration maxWait) {
		NamedLock lock = current();
		return (lock != null) ? lock.acquireAsync(maxWait) : CompletableFuture.failedFuture(stopped());
	}

	// The lock in a run

	/**
	 * Return the lock in the run in which the current thread has entered it, else in the
	 * current run.
	 * @return the lock, null if that is stopped
	 */
	private @Nullable NamedLock ofThread() {
		// first, since a run that ends is among the former ones before it is not current
		NamedLock present = current();
		for (Run run : this.runs.former()) {
			if (isEntered(run.registry())) {
				return this.kind.lock(run.registry(), this.name);
			}
		}
		return present;
	}

	private boolean isEntered(LockRegistry registry) {
		return registry.lock(this.name).lease().isPresent() || registry.readLock(this.name).lease().isPresent();
	}

	private NamedLock ofThreadOrThrow() {
		return orThrow(ofThread());
	}

	private @Nullable NamedLock current() {
		Run run = this.runs.current();
		if (run == null) {
			return null;
		}
		Delegate delegate = this.latest;
		if (delegate == null || delegate.run() != run) {
			delegate = new Delegate(run, this.kind.lock(run.registry(), this.name));
			this.latest = delegate;
		}
		return delegate.lock();
	}

	private NamedLock currentOrThrow() {
		return orThrow(current());
	}

	private NamedLock orThrow(@Nullable NamedLock lock) {
		if (lock == null) {
			throw stopped();
		}
		return lock;
	}

	private LockUnavailableException stopped() {
		return this.runs.stopped("Lock", this.name);
	}

	@Override
	public String toString() {
		return ((this.kind == Kind.READ) ? "Read lock '%s'" : "Lock '%s'").formatted(LockNames.shown(this.name));
	}

	/**
	 * By which method of a registry a lock is got.
	 */
	enum Kind {

		LOCK, READ, WRITE;

		NamedLock lock(LockRegistry registry, String name) {
			return switch (this) {
				case LOCK -> registry.lock(name);
				case READ -> registry.readLock(name);
				case WRITE -> registry.writeLock(name);
			};
		}

	}

	private record Delegate(Run run, NamedLock lock) {

	}

}
