package io.github.zklock.leader;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An election of one leader among all processes that take part in it. Thread-safe; a
 * registry has one for each role.
 *
 * <p>
 * The process that has joined first leads until it leaves or dies; then the next one
 * leads. A process that loses its session joins again by itself, at the end of the queue.
 *
 * @since 0.1
 * @see io.github.zklock.LockRegistry#election(String)
 */
public interface LeaderElection {

	/**
	 * Return the name of the role.
	 * @return the name
	 */
	String role();

	/**
	 * Take part from now on. Returns at once; a second call has no effect.
	 * @throws io.github.zklock.LockUnavailableException if the registry is stopped or
	 * closed
	 */
	void join();

	/**
	 * Take part no longer. A leader
	 * <ol>
	 * <li>lets no more {@link Leadership#run(Runnable) work} begin, and waits for the
	 * work that is running, for a limited time; the caller's own is not waited for
	 * <li>ends its term, which interrupts what is still running
	 * <li>calls {@link LeadershipListener#revoked(String, long)} of all listeners, and
	 * waits until they have returned, for a limited time; a listener that is the caller
	 * is not waited for
	 * <li>lets the next process lead.
	 * </ol>
	 * If leadership is lost meanwhile, these waits end. Returns when ZooKeeper has
	 * answered, or when the connection is gone. An interrupt ends the waits for work and
	 * listeners, and stays set. A call of {@link #join()} meanwhile has this process take
	 * part anew, behind all others.
	 */
	void leave();

	/**
	 * As {@link #leave()}, without blocking: the waits for work, listeners and ZooKeeper
	 * go on without a thread. Work of the current thread is not waited for, nor what goes
	 * on of it when it is {@link LeaderWork#detach() detached}.
	 * @return completed when {@link #leave()} would return, on a thread of this library
	 * or of its executor for users; never fails, and cancelling it changes nothing
	 */
	CompletableFuture<Void> leaveAsync();

	/**
	 * Return this process's leadership in the role.
	 * @return always the same object
	 */
	Leadership leadership();

	/**
	 * Return the present leader, as ZooKeeper knows it.
	 * @return the first one in the queue; empty if nobody takes part
	 * @throws io.github.zklock.LockUnavailableException if ZooKeeper cannot be asked
	 */
	Optional<Participant> leader();

	/**
	 * Return all who take part, as ZooKeeper knows them.
	 * @return the leader first, then the others in the order in which they will lead
	 * @throws io.github.zklock.LockUnavailableException if ZooKeeper cannot be asked
	 */
	List<Participant> participants();

	/**
	 * Add a listener. If this process leads, or is refused, the listener is called for
	 * that at once. A second call with the same listener has no effect.
	 * @param listener called for this process's leadership
	 */
	void addListener(LeadershipListener listener);

	/**
	 * Remove a listener. It is not called any more for what has happened before.
	 * @param listener the listener
	 */
	void removeListener(LeadershipListener listener);

}
