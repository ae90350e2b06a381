package io.github.zklock;

/**
 * Why ZooKeeper could not be asked for a lock.
 */
public enum UnavailableReason {

	/**
	 * There is no connection to ZooKeeper.
	 */
	NOT_CONNECTED,

	/**
	 * ZooKeeper has not answered in time.
	 */
	NO_ANSWER,

	/**
	 * ZooKeeper refuses the request, for example because of credentials or access control
	 * lists.
	 */
	REFUSED,

	/**
	 * The lock's queue in ZooKeeper is longer than the client can read.
	 */
	TOO_LONG,

	/**
	 * A limit is reached: this process has too many nodes, or the lock's queue has run
	 * out of numbers.
	 */
	LIMIT,

	/**
	 * The registry is stopped or closed.
	 */
	CLOSED,

	/**
	 * An unexpected error in this process, for example that there is no memory. It is in
	 * the log.
	 */
	INTERNAL_ERROR

}
