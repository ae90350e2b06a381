package io.github.zklock.leader;

import java.util.Optional;

/**
 * Work of a leader, in one term of its leadership. Thread-safe: any thread may use and
 * close it.
 *
 * @since 0.1
 * @see Leadership#enter()
 * @see Leadership#begin()
 */
public interface LeaderWork extends AutoCloseable {

	/**
	 * Return the token of the term of leadership in which the work began.
	 * @return the token
	 * @throws io.github.zklock.LockLostException if that term has ended
	 * @see Leadership#fencingToken()
	 */
	long fencingToken();

	/**
	 * Return whether the term of leadership in which the work began goes on. Costs no
	 * traffic.
	 * @return whether this process still leads; once false, it stays false
	 */
	boolean isLeader();

	/**
	 * Return how and why the term of leadership has ended in which the work began.
	 * @return a new {@link io.github.zklock.LockLostException} to look at or to throw;
	 * empty while {@link #isLeader()}
	 */
	Optional<RuntimeException> loss();

	/**
	 * Return whether leadership was lost before the work had ended. Leadership that the
	 * work itself has given up, by {@link #yield()} or by the thread to which it is
	 * bound, is not lost. Costs no traffic.
	 * @return whether it was lost; false while {@link #isLeader()}, and if the work had
	 * ended before
	 */
	boolean isLost();

	/**
	 * Add an action that runs once if leadership is lost before the work has ended, on a
	 * thread of this library or of its executor for users. If it has been lost already,
	 * the action runs at once.
	 * @param action what to run; a {@link io.github.zklock.LossInterrupt} is sent before
	 * all other actions, by the thread that notices the loss
	 */
	void onLost(Runnable action);

	/**
	 * Add an action that runs once if this process begins to give up its leadership while
	 * the work goes on, on a thread of this library or of its executor for users. The
	 * work then has a limited time to end. If that has begun already, the action runs at
	 * once. It never runs if leadership is lost, or if the work itself gives it up.
	 * @param action what to run
	 */
	void onLeaving(Runnable action);

	/**
	 * Give up the term of leadership in which the work began, as
	 * {@link Leadership#yield()} does. The work may go on: it is not waited for, and
	 * leadership is not lost.
	 * @return false if that term has ended, or if this process is leaving: nothing was
	 * done
	 */
	@SuppressWarnings("NamedLikeContextualKeyword") // as Thread.yield
	boolean yield();

	/**
	 * Detach the work from the thread that has {@link Leadership#enter() entered} it. The
	 * work goes on until it is closed, but what this thread does from now on is not a
	 * part of it. Has no effect on work that is not bound to a thread.
	 */
	void detach();

	/**
	 * End the work. A second call has no effect.
	 */
	@Override
	void close();

}
