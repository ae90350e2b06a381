package io.github.zklock.leader;

import java.time.Instant;
import java.util.Optional;

/**
 * This process's leadership in one role: whether it leads, and work that only a leader
 * may do. Thread-safe.
 *
 * <p>
 * While a thread does such work, by {@link #run(Runnable)} or {@link #enter()}, all
 * answers that it gets are about the term of leadership in which the work began: if that
 * term has ended, a later one does not count.
 *
 * @since 0.1
 * @see LeaderElection#leadership()
 */
public interface Leadership {

	/**
	 * Return the name of the role.
	 * @return the name
	 */
	String role();

	/**
	 * Return whether this process leads. This is never true after ZooKeeper may have let
	 * another process lead. Costs no traffic.
	 * @return whether it leads now, and has not begun to leave
	 */
	boolean isLeader();

	/**
	 * Return a number that is greater than that of every earlier leader. A resource that
	 * remembers the greatest number it has seen, and refuses smaller ones, is safe even
	 * from a leader that was paused for too long. If leadership was lost because the
	 * connection was down, and nobody else has led before it was back, the number stays
	 * the same. Costs no traffic.
	 * @return the token
	 * @throws IllegalStateException if this process does not lead
	 * @throws io.github.zklock.LockLostException if the current thread does work of a
	 * leader, and the term in which it began has ended
	 */
	long fencingToken();

	/**
	 * Return the time since which this process leads.
	 * @return when leadership was granted, by the clock of this process; empty if this
	 * process does not lead
	 */
	Optional<Instant> since();

	/**
	 * Run work if this process leads. If leadership is lost meanwhile, the thread is
	 * interrupted. {@link LeaderElection#leave()} waits for the work, for a limited time.
	 *
	 * <p>
	 * If the current thread does such work already, this is a part of it: it runs while
	 * this process is leaving, too, and a loss is handled by the outermost work. If that
	 * is a {@code run}, both throw.
	 * @param work what to run
	 * @return false if this process does not lead, or is leaving: nothing was run
	 * @throws RuntimeException what the work has thrown
	 * @throws io.github.zklock.LockLostException if leadership was lost before the work
	 * had ended, with what it threw as the cause; within {@link #enter() entered} work
	 * never
	 */
	boolean run(Runnable work);

	/**
	 * Begin work of the current thread, if this process leads. As {@link #run(Runnable)},
	 * but the caller handles a loss: a {@link io.github.zklock.LossInterrupt} given to
	 * {@link LeaderWork#onLost(Runnable)} interrupts the thread, and
	 * {@link LeaderWork#isLost()} says in the end whether leadership was lost.
	 *
	 * <pre class="code">
	 * try (LeaderWork work = leadership.enter().orElse(null)) {
	 * 	if (work != null) {
	 * 		...
	 * 	}
	 * }
	 * </pre>
	 * @return the work, which must be closed before any work within which it began, or
	 * {@link LeaderWork#detach() detached} and closed later; empty if this process does
	 * not lead, or is leaving
	 * @see #current()
	 */
	Optional<LeaderWork> enter();

	/**
	 * Return the innermost work that the current thread does as a leader. Only who has
	 * begun it may close or detach it: what the thread does afterwards would not be work
	 * of the leader any more.
	 * @return the work; empty if the thread does none, if the term in which it began has
	 * ended, or if the thread itself has given that up
	 */
	Optional<LeaderWork> current();

	/**
	 * Begin work that is not bound to a thread, if this process leads. As
	 * {@link #enter()}, but any thread may do it.
	 * @return the work, which must be closed; empty if this process does not lead, or is
	 * leaving
	 */
	Optional<LeaderWork> begin();

	/**
	 * Let the next process in the queue lead, and take part again behind all others.
	 * Gives up the leadership as {@link LeaderElection#leave()} does, with the same
	 * waits, which do not include the caller's own work. If nobody else takes part, this
	 * process soon leads again, with a new token.
	 * @return false if this process does not lead, or is leaving: nothing was done
	 */
	@SuppressWarnings("NamedLikeContextualKeyword") // as Thread.yield
	boolean yield();

}
