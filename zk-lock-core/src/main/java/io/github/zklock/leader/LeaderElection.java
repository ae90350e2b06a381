package io.github.zklock.leader;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An election of one leader among all processes that take part in it. Thread-safe; a
 * registry has one for each role.
 *
 * <p>
 * Whoever has joined first leads, until it leaves or dies; then the next leads. A process
 * that loses its session joins again by itself, at the end of the queue.
 */
public interface LeaderElection {

	/**
	 * Return the name of the role.
	 * @return the role
	 */
	String role();

	/**
	 * Take part from now on. Returns at once; a second call has no effect.
	 * @throws RuntimeException a {@code LockUnavailableException} if the registry is
	 * stopped or closed
	 */
	void join();

	/**
	 * Take part no longer. A leader starts no more {@link Leadership#run(Runnable) work},
	 * waits for what is running, though not for the caller's own and not for ever,
	 * interrupts what is still running then, tells the listeners, waits until they have
	 * {@link LeadershipListener#revoked(String, long) heard} of it, though not for the
	 * one that is the caller and not for ever, and only then lets the next one lead. If
	 * leadership is lost meanwhile, nobody is waited for any more. Returns when ZooKeeper
	 * has answered, or when the connection is gone. An interrupt ends the waits for work
	 * and listeners, and stays set. Who joins meanwhile takes part anew, behind all
	 * others.
	 */
	void leave();

	/**
	 * As {@link #leave()}, without waiting: the waits for work, listeners and ZooKeeper
	 * go on without a thread. What the current thread does as a leader is not waited for.
	 * @return completed when {@link #leave()} would return, on a thread of this library
	 * or of its executor for users; never fails, and cancelling it changes nothing
	 */
	CompletableFuture<Void> leaveAsync();

	/**
	 * Return what this process has to do with the role.
	 * @return always the same object
	 */
	Leadership leadership();

	/**
	 * Ask ZooKeeper who leads.
	 * @return the one whose turn it is; empty if nobody takes part
	 * @throws RuntimeException a {@code LockUnavailableException} if ZooKeeper cannot be
	 * asked
	 */
	Optional<Participant> leader();

	/**
	 * Ask ZooKeeper who takes part.
	 * @return the leader first, then the others in the order in which they will lead
	 * @throws RuntimeException a {@code LockUnavailableException} if ZooKeeper cannot be
	 * asked
	 */
	List<Participant> participants();

	/**
	 * Add a listener. If this process leads, or is refused, the listener is told at once.
	 * Adding it once more has no effect.
	 * @param listener hears of this process's leadership
	 */
	void addListener(LeadershipListener listener);

	/**
	 * Remove a listener. What it has not heard yet it will not hear.
	 * @param listener the listener
	 */
	void removeListener(LeadershipListener listener);

}
