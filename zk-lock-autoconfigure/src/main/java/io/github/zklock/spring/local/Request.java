package io.github.zklock.spring.local;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.zklock.LocalLock;
import io.github.zklock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants a lock. How the wait ends is decided once, under the monitor of the
 * {@link LockTable}.
 */
final class Request {

	private final long number;

	private final String name;

	private final LockMode mode;

	private final @Nullable Thread owner;

	private final Wait wait;

	private final String caller = Thread.currentThread().getName();

	private final Instant since = Instant.now();

	private final CompletableFuture<Outcome> decision = new CompletableFuture<>();

	/**
	 * Create a request.
	 * @param number its place among all requests
	 * @param name the lock's name
	 * @param mode what is wanted
	 * @param owner the thread that will own the lock, null if whoever has the lease does
	 * @param wait how long to wait
	 */
	Request(long number, String name, LockMode mode, @Nullable Thread owner, Wait wait) {
		this.number = number;
		this.name = name;
		this.mode = mode;
		this.owner = owner;
		this.wait = wait;
	}

	long number() {
		return this.number;
	}

	String name() {
		return this.name;
	}

	LockMode mode() {
		return this.mode;
	}

	@Nullable Thread owner() {
		return this.owner;
	}

	/**
	 * Return the name of the thread that has made the request.
	 */
	String caller() {
		return this.caller;
	}

	Wait time() {
		return this.wait;
	}

	Instant since() {
		return this.since;
	}

	/**
	 * Describe what the caller has or waits for.
	 * @param begin since when
	 */
	LocalLock describe(Instant begin) {
		return new LocalLock(this.name, this.mode, (this.owner != null) ? this.owner.getName() : null, begin);
	}

	// Deciding

	boolean isDecided() {
		return this.decision.isDone();
	}

	/**
	 * Decide how the wait ends.
	 * @return false if it was decided before
	 */
	boolean decide(Outcome outcome) {
		return this.decision.complete(outcome);
	}

	/**
	 * Give up: nobody is interested in the outcome any more.
	 * @return false if it was decided before how the wait ends
	 */
	boolean leave() {
		return this.decision.cancel(false);
	}

	/**
	 * Return how the wait has ended.
	 */
	Outcome outcome() {
		return Objects.requireNonNull(this.decision.getNow(null), "not decided yet");
	}

	// Waiting

	/**
	 * Wait until it is decided or the time is over. The future's own wait would not do:
	 * it lets a thread of a fork-join pool do other tasks meanwhile, and those would
	 * enter whatever the thread holds.
	 * @return whether it is decided
	 */
	boolean await() throws InterruptedException {
		CountDownLatch decided = new CountDownLatch(1);
		this.decision.whenComplete((outcome, left) -> decided.countDown());
		return decided.await(this.wait.remaining(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Wait until it is decided. An interrupt is kept for later.
	 */
	void awaitUninterruptibly() {
		boolean interrupted = false;
		while (!isDecided()) {
			try {
				await();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Have the outcome told to one who does not wait, on another thread.
	 */
	void whenDecided(UserThreads users, Consumer<Outcome> action) {
		this.decision.thenAcceptAsync(action, users);
	}

	/**
	 * Have something done, without delay and without running foreign code, when the wait
	 * ends in whichever way.
	 */
	void whenEnded(Runnable action) {
		this.decision.whenComplete((outcome, left) -> action.run());
	}

	/**
	 * How a wait ends.
	 *
	 * @param hold the lock, if it was granted
	 * @param closed whether the registry was closed; otherwise others have the lock
	 */
	record Outcome(@Nullable Hold hold, boolean closed) {

		static final Outcome REFUSED = new Outcome(null, false);

		static final Outcome CLOSED = new Outcome(null, true);

		static Outcome granted(Hold hold) {
			return new Outcome(hold, false);
		}

	}

}
