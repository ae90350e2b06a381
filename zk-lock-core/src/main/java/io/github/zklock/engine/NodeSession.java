package io.github.zklock.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A session of a {@link NodeStore}. Requests may be sent by any thread, under any
 * monitor; they do not wait. They are executed and answered in the order of sending.
 * Whatever happens, each is answered: when the connection is lost, with
 * {@link ReturnCode.Meaning#DISCONNECTED}.
 */
public interface NodeSession {

	/**
	 * Return the number by which the store knows this session.
	 * @return the number, 0 if there is none yet
	 */
	long id();

	/**
	 * Create an ephemeral, sequential node.
	 * @param prefix its path, without the number
	 * @param data its data
	 * @param reply takes the node
	 */
	void create(String prefix, byte[] data, Reply<Created> reply);

	/**
	 * Create a node for others to be below it.
	 * @param path its path
	 * @param container whether it goes by itself when it has become empty
	 * @param like who may do what with it, null for those whom the store is for
	 * @param reply takes the path
	 */
	void createParent(String path, boolean container, @Nullable NodeAccess like, Reply<String> reply);

	/**
	 * List the children of a node.
	 * @param path its path
	 * @param watch whether to watch the list, if there is such a node
	 * @param reply takes the children
	 */
	void list(String path, boolean watch, Reply<Listing> reply);

	/**
	 * Read a node.
	 * @param path its path
	 * @param watch whether to watch the node, if there is one
	 * @param reply takes what it contains
	 */
	void read(String path, boolean watch, Reply<Content> reply);

	/**
	 * Read the state of a node, without its data.
	 * @param path its path
	 * @param watch whether to watch the node, even if there is none yet
	 * @param reply takes the state, with no text
	 */
	void exists(String path, boolean watch, Reply<Content> reply);

	/**
	 * Write a node's data.
	 * @param path its path
	 * @param data its new data
	 * @param reply takes the number of the transaction
	 */
	void write(String path, byte[] data, Reply<Long> reply);

	/**
	 * Have it confirmed, as a write, that a node exists: when that is answered,
	 * everything that this session has sent before is decided.
	 * @param path its path
	 * @param reply takes the path
	 */
	void check(String path, Reply<String> reply);

	/**
	 * Delete a node.
	 * @param path its path
	 * @param reply takes the path
	 */
	void delete(String path, Reply<String> reply);

	/**
	 * Have the leader answer.
	 * @param path a path
	 * @param reply takes the path
	 */
	void sync(String path, Reply<String> reply);

	/**
	 * Ask for the nodes that this session has created.
	 * @param prefix how their paths begin
	 * @param reply takes their names, without the path of their parent; anything but "OK"
	 * if the store cannot tell
	 */
	void ownNodes(String prefix, Reply<List<String>> reply);

	/**
	 * Ask who may do what with a node.
	 * @param path its path
	 * @param reply takes the answer
	 */
	void access(String path, Reply<NodeAccess> reply);

	/**
	 * End this session, and wait for that.
	 * @param millis the longest wait
	 * @throws InterruptedException if interrupted while waiting
	 */
	void close(int millis) throws InterruptedException;

	/**
	 * Takes the answer to a request.
	 *
	 * @param <T> the type of the result
	 */
	@FunctionalInterface
	interface Reply<T> {

		/**
		 * Take the answer.
		 * @param code how the request has ended
		 * @param result the result, if that is "OK"
		 */
		void receive(ReturnCode code, @Nullable T result);

	}

	/**
	 * A node that was created.
	 *
	 * @param path its path
	 * @param czxid the transaction that created it
	 */
	record Created(String path, long czxid) {

	}

	/**
	 * What a node contains.
	 *
	 * @param text its data, as text, empty if they were not read
	 * @param czxid the transaction that created it
	 * @param mzxid the last transaction that has written its data
	 * @param created when it was created, in milliseconds since 1970
	 * @param owner the session that has created it
	 */
	record Content(String text, long czxid, long mzxid, long created, long owner) {

		/**
		 * Describe a node.
		 * @param data its data, null if they were not read, or if there are none
		 * @param czxid the transaction that created it
		 * @param mzxid the last transaction that has written its data
		 * @param created when it was created, in milliseconds since 1970
		 * @param owner the session that has created it, 0 if it outlives that
		 * @return what the node contains
		 */
		public static Content of(byte @Nullable [] data, long czxid, long mzxid, long created, long owner) {
			String text = (data != null) ? new String(data, StandardCharsets.UTF_8) : "";
			return new Content(text, czxid, mzxid, created, owner);
		}

		/**
		 * Return whether a client of this library has made the node.
		 */
		boolean isOurs() {
			return NodeData.isOurs(this.text);
		}

	}

}
