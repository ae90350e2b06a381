package io.github.zklock.engine;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.zklock.LocalLock;
import io.github.zklock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock. How its wait ends is decided once: a second decision finds the
 * first.
 */
abstract class Request extends Chain.Link<Request> {

	private static final AtomicReferenceFieldUpdater<Request, @Nullable Outcome> OUTCOME = AtomicReferenceFieldUpdater
		.newUpdater(Request.class, Outcome.class, "outcome");

	private final NodeKind kind;

	// There are as many as there are locks held, so it is dropped when it is met
	private Deadline deadline;

	private final String caller = Thread.currentThread().getName();

	/**
	 * Where it is decided. A field, as {@link #forsaken}.
	 */
	final EventLoop loop;

	// Changed by the updater only, which saves an object
	private volatile @Nullable Outcome outcome;

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
	 * @param deadline how long to wait
	 */
	Request(EventLoop loop, NodeKind kind, Deadline deadline) {
		this.loop = loop;
		this.kind = kind;
		this.deadline = deadline;
	}

	NodeKind kind() {
		return this.kind;
	}

	/**
	 * Return the thread that owns the lock, null if whoever has the lease does.
	 */
	abstract @Nullable Thread owner();

	/**
	 * Return the name of the thread that has made the request.
	 */
	String caller() {
		return this.caller;
	}

	Platform platform() {
		return this.loop.platform();
	}

	Deadline deadline() {
		return this.deadline;
	}

	/**
	 * Describe what the caller has or waits for.
	 * @param since when that began, by the clock that nobody sets
	 * @param now the present time
	 */
	LocalLock describe(String name, long since, ClockReading now) {
		Thread owner = owner();
		return new LocalLock(name, this.kind.mode(), (owner != null) ? owner.getName() : null, now.wallTimeOf(since));
	}

	@Nullable Outcome outcome() {
		return this.outcome;
	}

	/**
	 * Decide how the wait ends.
	 * @return false if it was decided before
	 */
	boolean decide(Outcome outcome) {
		this.loop.pass("decide");
		if (OUTCOME.compareAndSet(this, null, outcome)) {
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
	 * The caller has been told of what it has got.
	 */
	void told() {
		this.outcome = Outcome.TOLD;
		this.deadline = Deadline.MET;
	}

	/**
	 * Give up.
	 * @return false if it was decided before how the wait ends
	 */
	boolean leave() {
		return OUTCOME.compareAndSet(this, null, Outcome.LEFT);
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

		static final Outcome TOLD = new Outcome(null, null);

		static final Outcome REFUSED = new Outcome(null, null);

		static Outcome granted(Hold hold) {
			return new Outcome(hold, null);
		}

		static Outcome failed(LockUnavailableException failure) {
			return new Outcome(null, failure);
		}

	}

}
