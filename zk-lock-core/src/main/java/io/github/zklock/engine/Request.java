package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LocalLock;
import io.github.zklock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for a lock. How the wait ends is decided once: who comes second
 * finds it decided.
 */
abstract class Request {

	private final NodeKind kind;

	private final @Nullable Thread owner;

	private final Wait wait;

	private final String caller = Thread.currentThread().getName();

	private final EventLoop loop;

	private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();

	/**
	 * Nobody waits for the outcome, or has it: an error has thrown the caller out. What
	 * it has got is taken back soon. A field, since a stack that has come to its end has
	 * no room for a call.
	 */
	volatile boolean forsaken;

	/**
	 * Create a request.
	 * @param loop where it is decided
	 * @param kind what is wanted
	 * @param owner the thread that will own the lock, null if whoever has the lease does
	 * @param wait how long to wait
	 */
	Request(EventLoop loop, NodeKind kind, @Nullable Thread owner, Wait wait) {
		this.loop = loop;
		this.kind = kind;
		this.owner = owner;
		this.wait = wait;
	}

	NodeKind kind() {
		return this.kind;
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

	/**
	 * Describe what the caller has or waits for.
	 * @param age for how long
	 */
	LocalLock describe(String name, Duration age) {
		return new LocalLock(name, this.kind.mode(), (this.owner != null) ? this.owner.getName() : null,
				Instant.now().minus(age));
	}

	@Nullable Outcome outcome() {
		return this.outcome.get();
	}

	/**
	 * Decide how the wait ends.
	 * @return false if it was decided before
	 */
	boolean decide(Outcome outcome) {
		this.loop.pass("decide");
		if (this.outcome.compareAndSet(null, outcome)) {
			this.loop.pass("decided");
			decided();
			return true;
		}
		return false;
	}

	/**
	 * Tell the one who waits once more what has been decided, if it has: an error may
	 * have prevented it.
	 */
	@SuppressWarnings("ReferenceEquality") // somebody who was refused is to hear of it
	void tellAgain() {
		Outcome present = outcome();
		if (present != null && present != Outcome.LEFT) {
			decided();
		}
	}

	/**
	 * Give up.
	 * @return false if it was decided before how the wait ends
	 */
	boolean leave() {
		return this.outcome.compareAndSet(null, Outcome.LEFT);
	}

	/**
	 * Tell the one who waits, without delay and without running foreign code. May be
	 * called again.
	 */
	abstract void decided();

	/**
	 * How a wait ends.
	 *
	 * @param hold the lock, if it was granted
	 * @param failure why not, if it failed; if both are null, others have the lock or the
	 * caller has left
	 */
	record Outcome(@Nullable Hold hold, @Nullable LockUnavailableException failure) {

		static final Outcome LEFT = new Outcome(null, null);

		static final Outcome REFUSED = new Outcome(null, null);

		static Outcome granted(Hold hold) {
			return new Outcome(hold, null);
		}

		static Outcome failed(LockUnavailableException failure) {
			return new Outcome(null, failure);
		}

	}

	/**
	 * How long somebody waits, and since when. By the nano clock.
	 */
	static final class Wait {

		private static final long FOREVER = Long.MAX_VALUE;

		private final long start = System.nanoTime();

		private final long nanos;

		private final boolean patient;

		private Wait(long nanos, boolean patient) {
			this.nanos = nanos;
			this.patient = patient;
		}

		static Wait forever() {
			return new Wait(FOREVER, true);
		}

		static Wait ofNanos(long nanos) {
			return new Wait(nanos, true);
		}

		/**
		 * Wait for an answer of ZooKeeper, but not for the lock.
		 */
		static Wait forAnAnswer(long nanos) {
			return new Wait(nanos, false);
		}

		boolean isPatient() {
			return this.patient;
		}

		boolean isEndless() {
			return this.nanos == FOREVER;
		}

		long remaining() {
			return isEndless() ? FOREVER : this.nanos - (System.nanoTime() - this.start);
		}

		boolean isOver() {
			return remaining() <= 0;
		}

		boolean hasBegunBefore(long nanoTime) {
			return nanoTime - this.start >= 0;
		}

		Duration waited() {
			return Duration.ofNanos(System.nanoTime() - this.start);
		}

	}

}
