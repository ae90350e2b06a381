package io.github.zklock;

import java.time.Duration;

/**
 * Listener for events of locks, and of the session on which they depend. Each listener is
 * called on a thread of this library, or of its executor for users, in the order of
 * events, by one thread at a time. It may take its time, throw and use locks: that delays
 * neither locks nor other listeners. But it has to return: when 10,000 events wait for
 * it, it misses what comes next, which is logged.
 */
public interface LockListener {

	/**
	 * A lock was granted. Entering it again is no event.
	 * @param lease the lease, not to be closed here
	 * @param waited how long the caller waited
	 */
	default void acquired(LockLease lease, Duration waited) {
	}

	/**
	 * A lock was given back.
	 * @param lease the lease, which has ended
	 * @param held how long it was held
	 */
	default void released(LockLease lease, Duration held) {
	}

	/**
	 * A lock was lost while it was held.
	 * @param lease the lease, which has ended
	 * @param held how long it was held
	 */
	default void lost(LockLease lease, Duration held) {
	}

	/**
	 * A request was not granted in time, because others held the lock.
	 * @param name the lock's name
	 * @param waited how long the caller waited
	 */
	default void timedOut(String name, Duration waited) {
	}

	/**
	 * A request failed, because ZooKeeper could not be asked.
	 * @param name the lock's name
	 * @param waited how long the caller waited
	 * @param cause what the caller was told
	 */
	default void failed(String name, Duration waited, LockException cause) {
	}

	/**
	 * A session with ZooKeeper was opened.
	 * @param status how the session was then
	 */
	default void sessionOpened(SessionStatus status) {
	}

	/**
	 * The connection was lost. Locks are kept for now, and are lost if it does not come
	 * back in time.
	 * @param status how the session was then
	 */
	default void sessionSuspended(SessionStatus status) {
	}

	/**
	 * The connection has come back, and the session goes on.
	 * @param status how the session was then
	 */
	default void sessionResumed(SessionStatus status) {
	}

	/**
	 * The session has ended without being closed by this process: all that it held is
	 * lost. A new one is opened.
	 * @param status how things were then, without a session
	 */
	default void sessionExpired(SessionStatus status) {
	}

}
