package io.github.zklock.engine;

import java.io.IOException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Where nodes are kept: a tree with ephemeral, sequential nodes, as ZooKeeper's.
 */
public interface NodeStore {

	/**
	 * Open a session, without waiting for its connection. Called on the event loop, which
	 * must not be kept waiting.
	 * @param events hears of the session's fate
	 * @return the session
	 * @throws IOException if none can be opened now; it is tried again
	 */
	NodeSession open(NodeEvents events) throws IOException;

	/**
	 * Return what this store is, for messages.
	 * @return for example {@code ZooKeeper}
	 */
	String name();

	/**
	 * Return where this store is, for messages.
	 * @return for example {@code host:2181}
	 */
	String address();

	/**
	 * Return whether the nodes are meant to be open to everybody, so that there is no
	 * {@link NodeSession#access access} worth looking at.
	 * @return whether everybody may do anything
	 */
	boolean isOpen();

	/**
	 * Return how many bytes the store puts before every path.
	 * @return the number of bytes, as far as it is known
	 */
	int prefixBytes();

	/**
	 * Return whether the nodes are in this process: requests are executed when they are
	 * sent, and sessions last until they are closed.
	 * @return whether nothing can go wrong on the way
	 */
	default boolean isLocal() {
		return false;
	}

	/**
	 * Return the server of the latest connection.
	 * @return the server, for people, if it is known
	 */
	default @Nullable String server() {
		return null;
	}

	/**
	 * Return the servers of which not even the address is known.
	 * @return the hosts that could not be resolved when they were tried last
	 */
	default Set<String> unknownHosts() {
		return Set.of();
	}

}
