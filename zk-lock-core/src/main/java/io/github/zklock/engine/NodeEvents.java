package io.github.zklock.engine;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * Hears what happens to a {@link NodeSession}. Events and {@link NodeSession.Reply
 * replies} come in the order in which the store has them, on threads that hold no
 * monitor, and never within a call of the session: such a thread hands them over to
 * {@link #execute(Runnable)}.
 */
public interface NodeEvents {

	/**
	 * There is a connection.
	 * @param timeout gives the session timeout that was negotiated for it, when the
	 * session is known by {@link NodeStore#open}
	 */
	void connected(Supplier<Duration> timeout);

	/**
	 * There is no connection any more.
	 */
	void disconnected();

	/**
	 * The session is over, for ever.
	 * @param refused whether because of wrong credentials
	 */
	void ended(boolean refused);

	/**
	 * Something has happened to a node that was watched. It is not watched any more.
	 * @param path the path of the node
	 * @param deleted whether the node is gone; otherwise it, or the list of its children,
	 * has changed
	 */
	void changed(String path, boolean deleted);

	/**
	 * Run a task on the event loop, soon.
	 * @param task delivers a reply
	 */
	void execute(Runnable task);

}
