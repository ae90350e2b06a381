package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Who holds the lock of a {@link LockQueue}: grants it to those who wait, one after the
 * other, and takes it back. Under the monitor of the queue.
 */
final class QueueGrants {

	private final LockQueue queue;

	private @Nullable Hold hold;

	// Frees the lock of a hold that was closed and is kept for nobody
	private LoopThread.@Nullable Timer lingering;

	QueueGrants(LockQueue queue) {
		this.queue = queue;
	}

	private Waiters waiters() {
		return this.queue.waiters();
	}

	private QueueContention contention() {
		return this.queue.contention();
	}

	@Nullable Hold hold() {
		return this.hold;
	}

	/**
	 * Return whether somebody here has been granted the lock, whether it is lost or not,
	 * or it is kept for nobody.
	 */
	boolean isHolding() {
		return this.hold != null;
	}

	/**
	 * Return whether the lock is held, or kept for nobody, and cannot have been given to
	 * others.
	 */
	boolean isHeld() {
		return this.hold != null && this.hold.isCovered();
	}

	// Granting

	/**
	 * Decide who gets the lock that nobody holds.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	CompletableFuture<Void> handOverOrRelease() {
		Contender present = contention().contender();
		if (present == null) {
			return done();
		}
		int term = present.session().lease().currentTerm();
		if (term == Lease.NONE || waiters().isEmpty() || present.isBroken()) {
			return contention().requeue(present);
		}
		if (!contention().wasUsed()) {
			return grantNext(present, term);
		}
		return switch (present.node().rivals()) {
			case NONE -> grantNext(present, term);
			case WAITING -> contention().requeue(present);
			case UNKNOWN -> {
				present.askForRivals();
				yield done();
			}
		};
	}

	private CompletableFuture<Void> grantNext(Contender present, int term) {
		while (!waiters().isEmpty() && waiters().first().kind() == present.kind()) {
			Request request = waiters().first();
			if (request.deadline().isOver()) {
				waiters().endLate(request, this.queue.isContended(request));
				continue;
			}
			Hold granted = new Hold(this.queue, present, term, !contention().wasUsed(), request);
			this.hold = granted;
			this.queue.pass("grant");
			boolean taken = Waiters.decide(request, Request.Outcome.granted(granted));
			waiters().remove(request);
			if (taken) {
				contention().used();
				waiters().noteContention();
				if (!waiters().isEmpty()) {
					present.askForRivals();
				}
				return done();
			}
			this.hold = null;
		}
		return contention().requeue(present);
	}

	private static CompletableFuture<Void> done() {
		return CompletableFuture.completedFuture(null);
	}

	// Releasing

	/**
	 * Free the lock, if the given hold is the current one.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	CompletableFuture<Void> release(Hold released) {
		if (this.hold != released) {
			return done();
		}
		this.queue.pass("release");
		drop();
		waiters().noteContention();
		return handOverOrRelease();
	}

	/**
	 * Keep the lock for nobody, for some time.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	CompletableFuture<Void> linger(Hold closed, long nanos) {
		if (this.queue.context().keeper().isClosed()) {
			return release(closed);
		}
		if (this.hold == closed) {
			this.lingering = this.queue.loop().schedule(() -> this.queue.release(closed), nanos);
		}
		return done();
	}

	/**
	 * Free the lock now if it is kept for nobody.
	 */
	void endLingering() {
		if (this.lingering != null && this.hold != null) {
			release(this.hold);
		}
	}

	/**
	 * A hold was closed, and is still here after an error: free the lock when its time is
	 * over.
	 */
	void releaseClosed(Hold closed) {
		long nanos = closed.keptFor();
		if (nanos <= 0) {
			release(closed);
		}
		else if (this.lingering == null) {
			linger(closed, nanos);
		}
	}

	/**
	 * Forget the hold.
	 */
	void drop() {
		this.hold = null;
		if (this.lingering != null) {
			this.lingering.cancel();
			this.lingering = null;
		}
	}

	// Losing

	/**
	 * Take the lock away from a hold, current or not.
	 * @param loss why
	 */
	void lose(Hold lost, Loss loss) {
		this.queue.pass("lose");
		lost.lose(loss);
		if (this.hold == lost) {
			drop();
			contention().requeue(lost.contender());
		}
	}

	void loseIfUncovered() {
		Hold present = this.hold;
		if (present != null && !present.isCovered()) {
			lose(present, present.whyUncovered());
		}
	}

	/**
	 * The node has gone, and with it the lock.
	 */
	void loseWithNode(Loss loss) {
		Hold lost = this.hold;
		if (lost != null) {
			lost.lose(loss);
			drop();
		}
	}

}
