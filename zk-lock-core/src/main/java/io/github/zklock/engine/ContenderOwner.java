package io.github.zklock.engine;

/**
 * The owner of an attempt, which is notified of its progress under its own monitor.
 */
interface ContenderOwner {

	/**
	 * Return where the node is, or will be.
	 */
	LockPath path();

	/**
	 * The parent was missing, and has been made by this attempt.
	 */
	default void parentMade(Contender contender) {
	}

	/**
	 * The node is there.
	 * @param rootWasMissing whether all levels above it had to be made, or seemed to
	 */
	default void created(Contender contender, boolean rootWasMissing) {
	}

	/**
	 * The lock is granted, within a valid lease.
	 */
	void granted(Contender contender);

	/**
	 * Others come first.
	 */
	void queued(Contender contender);

	/**
	 * There is something new to know about others who wait.
	 */
	default void rivalsChanged(Contender contender) {
	}

	/**
	 * Somebody has deleted the node, which ends the attempt.
	 */
	void vanished(Contender contender);

	/**
	 * An attempt that nobody wanted has ended.
	 */
	void abandoned(Contender contender);

	/**
	 * The attempt has failed and will always fail.
	 */
	void failed(Contender contender, Failure failure);

}
