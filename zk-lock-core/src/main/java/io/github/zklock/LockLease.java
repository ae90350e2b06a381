package io.github.zklock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that was granted. Thread-safe: any thread may use and close it.
 */
public interface LockLease extends AutoCloseable {

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	String name();

	/**
	 * Return a number that is greater than that of every earlier holder of this lock. A
	 * resource that remembers the greatest number it has seen, and refuses smaller ones,
	 * is safe even from a holder that was paused for too long.
	 *
	 * <p>
	 * The first call may cost one round trip, and blocks at most until the lease ends.
	 * @return the token
	 * @throws LockLostException if the lock has been lost
	 * @throws IllegalStateException if the lease has been closed
	 */
	long fencingToken();

	/**
	 * Return whether the lock is held. This is never true after ZooKeeper may have given
	 * the lock to someone else. Costs no traffic.
	 * @return whether the lock is held now; once false, it stays false
	 */
	boolean isHeld();

	/**
	 * Return whether the lock was held and has been lost. Costs no traffic.
	 * @return whether it has been lost; false while it is held, and after it was closed
	 */
	boolean isLost();

	/**
	 * Return how and why the lock was lost.
	 * @return a new exception to look at or to throw; empty unless {@link #isLost()}
	 */
	Optional<LockLostException> loss();

	/**
	 * Have something done when the lock is lost, once, on a thread of this library or of
	 * its executor for users. If it has been lost already, this happens at once; after it
	 * was closed, never.
	 * @param action what to do; a {@link LossInterrupt} is sent before anybody is told
	 */
	void onLost(Runnable action);

	/**
	 * Give the lock back. Returns when ZooKeeper has answered, or when the connection is
	 * gone; in that case the lock is freed later, at the latest with the end of the
	 * session. A second call has no effect, and so has a call after the lock was lost.
	 */
	@Override
	default void close() {
		close(Duration.ZERO);
	}

	/**
	 * Give the lock back, but let nobody have it until some time since it was granted has
	 * passed. No thread waits for that. Afterwards the caller does not hold it any more,
	 * and a later {@link #close()} has no effect. Closing the registry frees it early.
	 * @param minHold how long the lock is kept, counted from when it was granted
	 * @throws IllegalArgumentException if the time is negative
	 */
	void close(Duration minHold);

	/**
	 * As {@link #close()}, without waiting: from now on the caller does not hold the lock
	 * any more.
	 * @return completed when {@link #close()} would return, on a thread of this library
	 * or of its executor for users; never fails, and cancelling it changes nothing
	 */
	default CompletableFuture<Void> closeAsync() {
		return closeAsync(Duration.ZERO);
	}

	/**
	 * As {@link #close(Duration)}, without waiting.
	 * @param minHold how long the lock is kept, counted from when it was granted
	 * @return completed when {@link #close(Duration)} would return, on a thread of this
	 * library or of its executor for users; never fails, and cancelling it changes
	 * nothing
	 * @throws IllegalArgumentException if the time is negative
	 */
	CompletableFuture<Void> closeAsync(Duration minHold);

}
