package io.github.zklock.leader;

import java.time.Instant;
import java.util.Optional;

/**
 * The leadership of this process in one role: whether it leads, and work that only a
 * leader may do. Thread-safe.
 *
 * <p>
 * Within {@link #run(Runnable)} all answers are about the term of leadership in which the
 * work began: if that has ended, a later one does not count.
 */
public interface Leadership {

	/**
	 * Return the name of the role.
	 * @return the role
	 */
	String role();

	/**
	 * Return whether this process leads. This is never true after ZooKeeper may have let
	 * another one lead. Costs no traffic.
	 * @return whether it leads now, and has not begun to leave
	 */
	boolean isLeader();

	/**
	 * Return a number that is greater than that of every earlier leader. A resource that
	 * remembers the greatest number it has seen, and refuses smaller ones, is safe even
	 * from a leader that was paused for too long. If the connection was down for so long
	 * that leadership was lost, and nobody else has led before it was back, the number
	 * stays the same. Costs no traffic.
	 * @return the token
	 * @throws RuntimeException an {@code IllegalStateException} if this process does not
	 * lead; within {@link #run(Runnable)} a {@code LockLostException} if it led when the
	 * work began
	 */
	long fencingToken();

	/**
	 * Return since when this process leads.
	 * @return when it was granted, by the clock of this process; empty if it does not
	 * lead
	 */
	Optional<Instant> since();

	/**
	 * Do work if this process leads. If leadership is lost meanwhile, the thread is
	 * interrupted; {@link LeaderElection#leave()} waits for the work, for some time.
	 * @param work what to do
	 * @return false if this process does not lead, or is leaving: nothing was done
	 * @throws RuntimeException what the work has thrown, or a {@code LockLostException}
	 * if leadership was lost before the work had ended, with what it threw as the cause
	 */
	boolean run(Runnable work);

	/**
	 * Begin work that no single thread does, if this process leads. As
	 * {@link #run(Runnable)}, without a thread to interrupt.
	 * @return the work, which must be closed; empty if this process does not lead, or is
	 * leaving
	 */
	Optional<LeaderWork> begin();

	/**
	 * Give the role to the next one in the queue, and go on taking part, behind all
	 * others. Gives up the leadership as {@link LeaderElection#leave()} does, with the
	 * same waits, which do not wait for the caller's own work, and returns when that
	 * does. If nobody else takes part, this process soon leads again, with a new token.
	 * @return false if this process does not lead, or is leaving: nothing was done
	 */
	@SuppressWarnings("NamedLikeContextualKeyword") // as Thread.yield
	boolean yield();

}
