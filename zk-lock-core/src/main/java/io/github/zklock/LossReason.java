package io.github.zklock;

/**
 * Why a lock, or the leadership of a role, was lost.
 */
public enum LossReason {

	/**
	 * The ZooKeeper leader has not answered for half a session timeout: from then on
	 * ZooKeeper may give the lock to another process.
	 */
	LEASE_ENDED,

	/**
	 * ZooKeeper has ended the session.
	 */
	SESSION_EXPIRED,

	/**
	 * The lock's node in ZooKeeper is gone: somebody has deleted it by hand, or another
	 * process has broken the lock.
	 */
	NODE_DELETED,

	/**
	 * This process has broken the lock, by {@link LockInspector#breakLock(String)} or
	 * {@link LockInspector#breakSegment(String)}.
	 */
	BROKEN_ON_REQUEST,

	/**
	 * The registry was stopped or closed, and its wait for holders was over.
	 */
	REGISTRY_CLOSED,

	/**
	 * The host was suspended, or its clock was set forward: ZooKeeper may have given the
	 * lock to another process meanwhile.
	 */
	HOST_SUSPENDED,

	/**
	 * ZooKeeper refuses something that is needed to keep the lock, for example because of
	 * credentials or access control lists.
	 */
	REFUSED,

	/**
	 * This process has left the election, or yielded, and its wait for running work was
	 * over. Only for leadership.
	 */
	GIVEN_UP,

	/**
	 * An unexpected error in this process, for example that there is no memory. It is in
	 * the log.
	 */
	INTERNAL_ERROR

}
