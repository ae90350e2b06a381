package io.github.zklock.leader;

/**
 * Hears of the leadership of this process. Each listener is called on a thread of this
 * library, in the order of events, by one thread at a time, after the state has changed.
 * It may take its time, throw and use locks: that does not delay other listeners, and
 * delays an election only when this process {@link LeaderElection#leave() leaves} it,
 * within limits.
 *
 * <p>
 * Each grant is followed by exactly one revocation. In between, suspensions and
 * resumptions alternate.
 */
public interface LeadershipListener {

	/**
	 * This process leads.
	 * @param role the role
	 * @param fencingToken the token of this leadership
	 */
	default void granted(String role, long fencingToken) {
	}

	/**
	 * The connection is lost. This process still leads, but soon not any more, unless the
	 * connection comes back.
	 * @param role the role
	 * @param fencingToken the token of this leadership
	 */
	default void suspended(String role, long fencingToken) {
	}

	/**
	 * The connection has come back in time.
	 * @param role the role
	 * @param fencingToken the token of this leadership
	 */
	default void resumed(String role, long fencingToken) {
	}

	/**
	 * This process does not lead any more: it has lost the leadership, or given it up. If
	 * it has given it up, nobody else leads before this method has returned, though the
	 * next one does not wait for ever. After a loss another one may lead already.
	 * @param role the role
	 * @param fencingToken the token of the leadership that has ended
	 */
	default void revoked(String role, long fencingToken) {
	}

	/**
	 * This process cannot take part, because ZooKeeper refuses it. It goes on trying, and
	 * says so once for a series of failures: again only if it has taken part in between,
	 * or has left and joined once more. Has nothing to do with grants and revocations.
	 * @param role the role
	 * @param failure why it cannot take part, a {@code LockUnavailableException}
	 */
	default void failed(String role, RuntimeException failure) {
	}

}
