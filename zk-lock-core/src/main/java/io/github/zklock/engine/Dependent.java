package io.github.zklock.engine;

/**
 * Whoever has something in a session or waits for it, and shares its fate. Called by the
 * event loop, and by whoever closes the registry.
 */
interface Dependent {

	/**
	 * Return where its nodes are.
	 */
	LockPath path();

	void connected(Session session);

	void disconnected();

	/**
	 * There has been no connection for longer than anybody who does not wait for ever
	 * should wait for it.
	 */
	default void unreachable() {
	}

	/**
	 * What was granted in a term of the session's lease may not be believed any more.
	 */
	void leaseEnded(Session session, int term);

	void died(Session session, Loss loss);

	/**
	 * It is time for a heartbeat, and the session is connected.
	 */
	void tick();

	/**
	 * An error may have left something half done, at any line: bring it into order. By
	 * the event loop.
	 */
	void repair();

	/**
	 * Return whether somebody works with what is held here who is not the given thread.
	 */
	boolean isUsedByOther(Thread thread);

	/**
	 * Take away what is held here, and free it.
	 */
	void takeAway();

}
