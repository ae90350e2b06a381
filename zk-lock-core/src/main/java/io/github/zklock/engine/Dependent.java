package io.github.zklock.engine;

/**
 * What depends on the session, since it has a node in it or waits for one: the queue of a
 * lock, or a candidacy. It is notified of the session's events, on the event loop, and
 * told to give everything back by the thread that stops the registry.
 */
abstract class Dependent extends Chain.Link<Dependent> {

	/**
	 * Return the path of its nodes.
	 */
	abstract LockPath path();

	abstract void connected(Session session);

	abstract void disconnected();

	/**
	 * There has been no connection for longer than {@code connectTimeout}.
	 */
	void unreachable() {
	}

	/**
	 * A term of the session's lease has ended: what was granted in it is lost.
	 */
	abstract void leaseEnded(Session session, int term);

	/**
	 * The session has ended: what was granted in it is lost, and the next session will be
	 * another object.
	 */
	abstract void sessionEnded(Session session, Loss loss);

	/**
	 * It is time for a heartbeat, and the session is connected.
	 */
	abstract void tick();

	/**
	 * An error may have left something half done, at any line: bring it into order.
	 */
	abstract void repair();

	/**
	 * Return whether a thread other than the given one uses what is held here.
	 */
	abstract boolean isUsedByOther(Thread thread);

	/**
	 * End what is held here, whether it is used or not, and free it.
	 */
	abstract void takeAway();

}
