package io.github.zklock.embedded;

import java.util.List;
import java.util.Set;

/**
 * What one ZooKeeper server knows, for assertions: a client's own view can be wrong. Each
 * call asks the server anew.
 */
public interface ServerView {

	/**
	 * Return the number of watches that clients of this server have set.
	 * @return the number of (path, connection) pairs
	 */
	long watchCount();

	/**
	 * Return the number of ephemeral nodes.
	 * @return the number of ephemeral nodes of all sessions
	 */
	long ephemeralCount();

	/**
	 * Return the number of packets that this server has received from clients, pings and
	 * connection requests included.
	 * @return the number of packets since the server started
	 */
	long packetsReceived();

	/**
	 * Return the number of packets that this server has sent to clients, watch events
	 * included.
	 * @return the number of packets since the server started
	 */
	long packetsSent();

	/**
	 * Return the number of open client connections.
	 * @return the number of open client connections
	 */
	long connectionCount();

	/**
	 * Return the sessions that exist on this server.
	 * @return the session ids
	 */
	Set<Long> sessions();

	/**
	 * Return the ephemeral nodes of a session.
	 * @param sessionId the session's id
	 * @return full server paths, in order
	 */
	List<String> ephemerals(long sessionId);

	/**
	 * Return the children of a node.
	 * @param path the full server path
	 * @return the children's names, in order; empty if there is no such node
	 */
	List<String> children(String path);

}
