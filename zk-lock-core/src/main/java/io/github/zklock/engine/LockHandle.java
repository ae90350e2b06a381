package io.github.zklock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockNames;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.engine.Request.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What callers see of a lock, in one of its modes. Long because {@link NamedLock} has
 * many ways to ask; there is one way to wait.
 */
final class LockHandle implements NamedLock {

	private final LockQueues queues;

	private final EventLoop loop;

	private final NodeKind kind;

	LockHandle(LockQueues queues, NodeKind kind) {
		this.queues = queues;
		this.kind = kind;
		this.loop = context().keeper().loop();
	}

	LockQueue queueForRequest() {
		return this.queues.queueFor(this.kind);
	}

	NodeKind kind() {
		return this.kind;
	}

	private RegistryContext context() {
		return this.queues.context();
	}

	EventLoop loop() {
		return this.loop;
	}

	private Platform platform() {
		return this.loop.platform();
	}

	private String name() {
		return this.queues.name();
	}

	// Owned by a thread

	@Override
	public void lock() {
		if (!enterAgain()) {
			obtainUninterruptibly(Deadline.forever(platform()));
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		throwIfInterrupted();
		if (!enterAgain()) {
			obtain(true, Deadline.forever(platform()), true);
		}
	}

	@Override
	public boolean tryLock() {
		return enterAgain() || obtainUninterruptibly(deadlineFor(0)) != null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		throwIfInterrupted();
		return enterAgain() || obtain(true, deadlineFor(unit.toNanos(time)), true) != null;
	}

	@Override
	public void unlock() {
		ThreadHold entered = enteredHold();
		if (entered == null) {
			throw notHeld();
		}
		Hold hold = entered.hold();
		if (entered.isEnteredAgain()) {
			boolean held = hold.isHeld();
			entered.leave(this.kind.mode());
			if (!held) {
				throw hold.isClosed() ? notHeld() : hold.lost();
			}
			return;
		}
		CompletableFuture<Void> answered = hold.release();
		if (answered == null) {
			// A lost one is known until its thread has heard of it
			context().threadHolds().remove(hold);
			throw hold.isClosed() ? notHeld() : hold.lost();
		}
		Futures.awaitQuietly(platform(), answered);
	}

	private IllegalMonitorStateException notHeld() {
		return new IllegalMonitorStateException(
				"%s is not held by thread '%s'".formatted(describe(), Thread.currentThread().getName()));
	}

	@Override
	public boolean isHeldByCurrentThread() {
		ThreadHold entered = enteredHold();
		return entered != null && entered.hold().isHeld();
	}

	@Override
	public Optional<LockLease> lease() {
		return Optional.ofNullable(enteredHold()).map(ThreadHold::hold);
	}

	/**
	 * Return what the current thread holds, in whichever mode.
	 */
	private @Nullable ThreadHold currentHold() {
		return context().threadHolds().ofCurrentThread(name());
	}

	/**
	 * Return what the current thread holds, if it has entered it in the mode of this
	 * lock.
	 */
	private @Nullable ThreadHold enteredHold() {
		ThreadHold current = currentHold();
		return (current != null && current.isEntered(this.kind.mode())) ? current : null;
	}

	private boolean enterAgain() {
		ThreadHold current = currentHold();
		return current != null && current.enter(this.kind.mode());
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
		Hold hold = obtain(false, Deadline.forever(platform()), true);
		if (hold == null) {
			throw new IllegalStateException(
					"An endless wait for lock '%s' has ended".formatted(LockNames.shown(name())));
		}
		return hold;
	}

	@Override
	public Optional<LockLease> tryAcquire(Duration maxWait) throws InterruptedException {
		Deadline deadline = deadlineFor(maxWait);
		throwIfInterrupted();
		Hold hold = obtain(false, deadline, true);
		try {
			return Optional.ofNullable(hold);
		}
		catch (Throwable ex) {
			if (hold != null) {
				hold.forsake();
			}
			throw ex;
		}
	}

	@Override
	public CompletableFuture<LockLease> acquireAsync(Duration maxWait) {
		CompletableFuture<LockLease> future = new CompletableFuture<>();
		new FutureRequest(this, deadlineFor(maxWait), future).start();
		return future;
	}

	private Deadline deadlineFor(Duration maxWait) {
		if (maxWait.isNegative()) {
			throw new IllegalArgumentException("'maxWait' for lock '%s' must not be negative but was %s"
				.formatted(LockNames.shown(name()), maxWait));
		}
		return deadlineFor(Durations.toNanos(maxWait));
	}

	/**
	 * Zero means to take the lock if it is free, and not to queue for it; ZooKeeper has a
	 * moment to answer, and before that, the first time, to be connected.
	 */
	private Deadline deadlineFor(long nanos) {
		if (nanos > 0) {
			return Deadline.ofNanos(platform(), nanos);
		}
		SessionKeeper keeper = context().keeper();
		long connecting = keeper.reachability().hasEverConnected() ? 0 : Durations.toNanos(keeper.connectTimeout());
		return Deadline.forAnAnswer(platform(), connecting + context().answerNanos());
	}

	// Waiting

	private @Nullable Hold obtainUninterruptibly(Deadline deadline) {
		try {
			return obtain(true, deadline, false);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Wait for the lock.
	 * @param owned whether the current thread will own it; otherwise whoever has the
	 * lease does
	 * @return the hold, null if others have the lock
	 */
	private @Nullable Hold obtain(boolean owned, Deadline deadline, boolean interruptible) throws InterruptedException {
		while (true) {
			BlockingRequest request = new BlockingRequest(this.loop, this.kind, owned, deadline);
			try {
				Hold hold = obtain(request, interruptible);
				if (hold == null || hold.deliver()) {
					this.loop.pass("told");
					return hold;
				}
			}
			catch (LockException | InterruptedException ex) {
				throw ex;
			}
			catch (Throwable ex) {
				// On a stack that may have come to its end
				request.forsaken = true;
				this.loop.troubled = true;
				throw ex;
			}
		}
	}

	/**
	 * Ask for the lock and wait for the outcome.
	 * @return the hold, of which nobody has been told; null if others have the lock
	 */
	private @Nullable Hold obtain(BlockingRequest request, boolean interruptible) throws InterruptedException {
		LockQueue queue = queueForRequest();
		this.loop.pass("ask");
		this.loop.visit(() -> queue.add(request));
		this.loop.pass("asked");
		Outcome outcome = request.await(interruptible);
		if (outcome == null && request.leave()) {
			boolean contended = queue.remove(request);
			if (interruptible) {
				throwIfInterrupted();
			}
			return nullIfContended(request.deadline(), contended);
		}
		outcome = request.outcome();
		Hold hold = (outcome != null) ? outcome.hold() : null;
		return (hold != null) ? hold : nullIfContended(request.deadline(), outcome);
	}

	private @Nullable Hold nullIfContended(Deadline deadline, @Nullable Outcome outcome) {
		if (outcome != null && outcome.failure() != null) {
			throw notGranted(deadline, outcome);
		}
		return nullIfContended(deadline, true);
	}

	/**
	 * Tell the listeners why a request has not got the lock, and return or throw what its
	 * caller is told. A refusal builds no exception: some ask again and again.
	 */
	private @Nullable Hold nullIfContended(Deadline deadline, boolean contended) {
		if (!contended) {
			throw notGranted(deadline, false);
		}
		tellTimedOut(deadline.waited());
		return null;
	}

	/**
	 * Say why a request that was decided has not got the lock, to its listeners and to
	 * its caller.
	 */
	LockException notGranted(Deadline deadline, @Nullable Outcome outcome) {
		LockUnavailableException failure = (outcome != null) ? outcome.failure() : null;
		return (failure != null) ? failed(deadline, failure) : notGranted(deadline, true);
	}

	/**
	 * Say why a request that has run out of time has not got the lock, to its listeners
	 * and to its caller.
	 */
	LockException notGranted(Deadline deadline, boolean contended) {
		Duration waited = deadline.waited();
		if (!contended) {
			SessionKeeper keeper = context().keeper();
			return failed(deadline, keeper.reachability().unanswered(deadline).ofLock(name(), keeper.place()));
		}
		tellTimedOut(waited);
		return new LockTimeoutException(name(), "Lock '%s' was not granted within %d ms because others hold it"
			.formatted(LockNames.shown(name()), waited.toMillis()), null);
	}

	private void tellTimedOut(Duration waited) {
		context().listeners().tell((listener) -> listener.timedOut(name(), waited));
	}

	/**
	 * Tell listeners and caller of a failure, as an exception of the caller's own thread.
	 */
	private LockException failed(Deadline deadline, LockUnavailableException decided) {
		LockException failure = new LockUnavailableException(name(), String.valueOf(decided.getMessage()),
				decided.reason(), decided.getCause());
		Duration waited = deadline.waited();
		context().listeners().tell((listener) -> listener.failed(name(), waited, failure));
		return failure;
	}

	private String describe() {
		return (this.kind.isShared() ? "Read lock '%s'" : "Lock '%s'").formatted(LockNames.shown(name()));
	}

	@Override
	public String toString() {
		return describe();
	}

}
