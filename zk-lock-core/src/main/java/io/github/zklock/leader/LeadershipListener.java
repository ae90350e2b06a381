package io.github.zklock.leader;

/**
 * Listener for changes of this process's leadership. Each listener is called on a thread
 * of this library or of its executor for users, in the order of events, by one thread at
 * a time, after the state has changed. It may block, throw and use locks: that does not
 * delay other listeners, and delays an election only when this process
 * {@link LeaderElection#leave() leaves} it, for a limited time.
 *
 * <p>
 * Each grant is followed by exactly one revocation. In between, suspensions and
 * resumptions alternate.
 *
 * @since 0.1
 */
public interface LeadershipListener {

	/**
	 * Leadership was granted: this process leads.
	 * @param role the role
	 * @param fencingToken the token of this leadership
	 */
	default void granted(String role, long fencingToken) {
	}

	/**
	 * The connection was lost. This process still leads, but will soon lose its
	 * leadership unless the connection comes back.
	 * @param role the role
	 * @param fencingToken the token of this leadership
	 */
	default void suspended(String role, long fencingToken) {
	}

	/**
	 * The connection has come back before leadership was lost.
	 * @param role the role
	 * @param fencingToken the token of this leadership
	 */
	default void resumed(String role, long fencingToken) {
	}

	/**
	 * Leadership has ended: this process has lost it, or given it up. If it has given it
	 * up, nobody else leads before this method has returned, though the next process
	 * waits only for a limited time. After a loss another process may lead already.
	 * @param role the role
	 * @param fencingToken the token of the leadership that has ended
	 */
	default void revoked(String role, long fencingToken) {
	}

	/**
	 * This process cannot take part, because ZooKeeper refuses it. It goes on trying.
	 * Called once for a series of failures: again only if it has taken part in between,
	 * or has left and joined again. Independent of grants and revocations.
	 * @param role the role
	 * @param failure why it cannot take part, a
	 * {@link io.github.zklock.LockUnavailableException}
	 */
	default void failed(String role, RuntimeException failure) {
	}

}
