package io.github.zklock.spring.local;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.spring.local.Request.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What callers see of a lock, in one of its modes.
 */
final class LocalNamedLock implements NamedLock {

	private final LockTable table;

	private final Services services;

	private final String name;

	private final LockMode mode;

	LocalNamedLock(LockTable table, String name, LockMode mode) {
		this.table = table;
		this.services = table.services();
		this.name = name;
		this.mode = mode;
	}

	// Owned by a thread

	@Override
	public void lock() {
		if (!enterAgain()) {
			obtainUninterruptibly(Wait.forever());
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		throwIfInterrupted();
		if (!enterAgain()) {
			obtain(Thread.currentThread(), Wait.forever());
		}
	}

	@Override
	public boolean tryLock() {
		return enterAgain() || obtainUninterruptibly(Wait.ofNanos(0)) != null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		throwIfInterrupted();
		return enterAgain() || obtain(Thread.currentThread(), Wait.ofNanos(unit.toNanos(time))) != null;
	}

	@Override
	public void unlock() {
		Hold hold = enteredHold();
		if (hold == null) {
			throw notHeld();
		}
		boolean ended = hold.leaveInner(this.mode) ? !hold.isHeld() : !this.table.close(hold, 0);
		if (ended) {
			throw hold.isClosed() ? notHeld() : hold.lost();
		}
	}

	private IllegalMonitorStateException notHeld() {
		return new IllegalMonitorStateException(
				"%s is not held by thread '%s'".formatted(this, Thread.currentThread().getName()));
	}

	@Override
	public boolean isHeldByCurrentThread() {
		Hold hold = enteredHold();
		return hold != null && hold.isHeld();
	}

	@Override
	public Optional<LockLease> lease() {
		return Optional.ofNullable(enteredHold());
	}

	/**
	 * Return what the current thread holds, if it has entered it in the mode of this
	 * lock.
	 */
	private @Nullable Hold enteredHold() {
		Hold hold = this.table.ofCurrentThread(this.name);
		return (hold != null && hold.isEntered(this.mode)) ? hold : null;
	}

	private boolean enterAgain() {
		Hold hold = this.table.ofCurrentThread(this.name);
		return hold != null && hold.enter(this.mode);
	}

	private static void throwIfInterrupted() throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	// Owned by whoever has the lease

	@Override
	public LockLease acquire() throws InterruptedException {
		throwIfInterrupted();
		Hold hold = obtain(null, Wait.forever());
		if (hold == null) {
			throw new IllegalStateException(
					"An endless wait for lock '%s' has ended".formatted(LockNames.shown(this.name)));
		}
		return hold;
	}

	@Override
	public Optional<LockLease> tryAcquire(Duration maxWait) throws InterruptedException {
		Wait wait = waitFor(maxWait);
		throwIfInterrupted();
		return Optional.ofNullable(obtain(null, wait));
	}

	@Override
	public CompletableFuture<LockLease> acquireAsync(Duration maxWait) {
		CompletableFuture<LockLease> future = new CompletableFuture<>();
		obtainAsync(future, waitFor(maxWait));
		return future;
	}

	private Wait waitFor(Duration maxWait) {
		if (maxWait.isNegative()) {
			throw new IllegalArgumentException("'maxWait' for lock '%s' must not be negative but was %s"
				.formatted(LockNames.shown(this.name), maxWait));
		}
		return Wait.of(maxWait);
	}

	// Waiting

	private Request ask(@Nullable Thread owner, Wait wait) {
		Request request = new Request(this.services.nextNumber(), this.name, this.mode, owner, wait);
		this.table.add(request);
		return request;
	}

	/**
	 * Wait for the lock.
	 * @return the hold, null if others have the lock
	 */
	private @Nullable Hold obtain(@Nullable Thread owner, Wait wait) throws InterruptedException {
		while (true) {
			Request request = ask(owner, wait);
			try {
				if (!request.await()) {
					this.table.refuse(request);
				}
			}
			catch (InterruptedException ex) {
				if (this.table.leave(request)) {
					throw ex;
				}
				Thread.currentThread().interrupt();
			}
			Hold hold = holdOrThrow(request);
			if (hold == null || this.table.tell(hold)) {
				return hold;
			}
		}
	}

	private @Nullable Hold obtainUninterruptibly(Wait wait) {
		while (true) {
			Request request = ask(Thread.currentThread(), wait);
			request.awaitUninterruptibly();
			Hold hold = holdOrThrow(request);
			if (hold == null || this.table.tell(hold)) {
				return hold;
			}
		}
	}

	/**
	 * Return what a request has come to.
	 * @return the hold, null if others have the lock
	 * @throws LockException if the registry is closed
	 */
	private @Nullable Hold holdOrThrow(Request request) {
		Outcome outcome = request.outcome();
		if (outcome.hold() == null) {
			LockException reason = notGranted(request, outcome);
			if (outcome.closed()) {
				throw reason;
			}
		}
		return outcome.hold();
	}

	/**
	 * Wait for the lock without a thread. Who completes the future in our place has
	 * cancelled it.
	 */
	private void obtainAsync(CompletableFuture<LockLease> future, Wait wait) {
		Request request = ask(null, wait);
		if (!request.isDecided()) {
			Future<?> timer = this.services.schedule(() -> this.table.refuse(request), wait.remaining());
			request.whenEnded(() -> timer.cancel(false));
		}
		request.whenDecided(this.services.users(), (outcome) -> deliver(request, outcome, future));
		future.whenComplete((lease, failure) -> this.table.leave(request));
	}

	private void deliver(Request request, Outcome outcome, CompletableFuture<LockLease> future) {
		Hold hold = outcome.hold();
		if (hold == null) {
			future.completeExceptionally(notGranted(request, outcome));
		}
		else if (future.isDone()) {
			hold.close();
		}
		else if (!this.table.tell(hold)) {
			obtainAsync(future, request.time());
		}
		else if (!future.complete(hold)) {
			hold.close();
		}
	}

	/**
	 * Say why a request has not got the lock, to the listeners and to its caller.
	 */
	private LockException notGranted(Request request, Outcome outcome) {
		Duration waited = request.time().waited();
		if (outcome.closed()) {
			LockException failure = Services.closed("Lock", this.name);
			this.services.tell((listener) -> listener.failed(this.name, waited, failure));
			return failure;
		}
		this.services.tell((listener) -> listener.timedOut(this.name, waited));
		return new LockTimeoutException(this.name, "Lock '%s' was not granted within %d ms because others hold it"
			.formatted(LockNames.shown(this.name), waited.toMillis()), null);
	}

	@Override
	public String toString() {
		return ((this.mode == LockMode.READ) ? "Read lock '%s'" : "Lock '%s'").formatted(LockNames.shown(this.name));
	}

}
