package io.github.zklock.engine;

/**
 * Is notified of the events of a {@link Session}, on the event loop.
 */
interface SessionListener {

	/**
	 * The session has a connection.
	 * @param first whether it is its first one
	 */
	void connected(Session session, boolean first);

	void disconnected(Session session);

	/**
	 * The leader has answered a heartbeat.
	 */
	void answered(Session session);

	/**
	 * A term of the session's lease has ended.
	 */
	void leaseEnded(Session session, int term);

	/**
	 * The session has ended, for ever.
	 * @param loss why
	 */
	void sessionEnded(Session session, Loss loss);

}
