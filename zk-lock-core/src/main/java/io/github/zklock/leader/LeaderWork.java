package io.github.zklock.leader;

import java.util.Optional;

/**
 * Work of a leader, in one term of its leadership. Thread-safe: any thread may use and
 * close it.
 */
public interface LeaderWork extends AutoCloseable {

	/**
	 * Return the token of the leadership in which the work began.
	 * @return the token
	 * @see Leadership#fencingToken()
	 */
	long fencingToken();

	/**
	 * Return whether the leadership goes on in which the work began. Costs no traffic.
	 * @return whether this process still leads; once false, it stays false
	 */
	boolean isLeader();

	/**
	 * Return how and why the leadership has ended in which the work began.
	 * @return a new {@code LockLostException} to look at or to throw; empty while
	 * {@link #isLeader()}
	 */
	Optional<RuntimeException> loss();

	/**
	 * Have something done when leadership is lost before the work has ended, once, on a
	 * thread of this library or of its executor for users. If it has been lost already,
	 * this happens at once.
	 * @param action what to do; a {@link io.github.zklock.LossInterrupt} is sent before
	 * anybody is told
	 */
	void onLost(Runnable action);

	/**
	 * Have something done when this process begins to give up its leadership while the
	 * work goes on, once, on a thread of this library or of its executor for users: the
	 * work is waited for, but not for ever, and has now the time to end. If that has
	 * begun already, this happens at once. Never happens if leadership is lost, or if it
	 * is given up by the thread that does the work.
	 * @param action what to do
	 */
	void onLeaving(Runnable action);

	/**
	 * Give up the leadership in which the work began, as {@link Leadership#yield()} does.
	 * The work may go on: it is not waited for, and not lost.
	 * @return false if this process does not lead any more, or is leaving: nothing was
	 * done
	 */
	@SuppressWarnings("NamedLikeContextualKeyword") // as Thread.yield
	boolean yield();

	/**
	 * The work has ended. A second call has no effect.
	 */
	@Override
	void close();

}
