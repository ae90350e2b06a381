package io.github.zklock.engine;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The nodes that attempts of one session have in ZooKeeper, or may have: from the sending
 * of the create to the answer to the delete. A create that is not answered is known by
 * the path without its number, which only one attempt has.
 *
 * <p>
 * It keeps the sum of the bytes of their paths, as a server writes them into its log when
 * the session ends: a sum that is too big takes the whole ensemble down (ZOOKEEPER-4306).
 * Thread-safe; what is said of one attempt is said by one thread at a time.
 */
final class OwnNodes {

	static final int DEFAULT_LIMIT = 1_500_000;

	private static final int DIGITS = 10;

	private final int prefixBytes;

	private final long limit;

	private final AtomicLong bytes = new AtomicLong();

	private final Map<String, Node> nodes = new ConcurrentHashMap<>();

	/**
	 * Create an account without nodes.
	 * @param prefixBytes how many bytes the server puts before every path
	 * @param limit how many bytes the paths may have together
	 */
	OwnNodes(int prefixBytes, long limit) {
		this.prefixBytes = prefixBytes;
		this.limit = limit;
	}

	private static int length(String path) {
		return path.getBytes(StandardCharsets.UTF_8).length;
	}

	long bytes() {
		return this.bytes.get();
	}

	int count() {
		return this.nodes.size();
	}

	long limit() {
		return this.limit;
	}

	boolean isEmpty() {
		return this.nodes.isEmpty();
	}

	// Creating

	/**
	 * A create is about to be sent.
	 * @param prefix the path without its number
	 * @param exempt whether to do it beyond the limit, too
	 * @return false if it must not be sent
	 */
	boolean reserve(String prefix, boolean exempt) {
		Node asked = new Node(State.ASKED, size(prefix) + DIGITS);
		if (this.nodes.putIfAbsent(prefix, asked) != null) {
			// an earlier create of the same attempt is counted already
			return true;
		}
		if (this.bytes.addAndGet(asked.bytes) > this.limit && !exempt) {
			remove(prefix);
			return false;
		}
		return true;
	}

	/**
	 * A create is answered.
	 * @param prefix the path without its number
	 * @param response the answer; if it leaves open what has become of the create, it
	 * stays counted
	 */
	void answered(String prefix, Response<NodeSession.Created> response) {
		switch (response.meaning()) {
			case OK -> created(prefix, response.result().path());
			case DISCONNECTED, UNKNOWN -> {
				// to be looked for
			}
			default -> {
				Node asked = this.nodes.get(prefix);
				if (asked != null && asked.state == State.ASKED) {
					remove(prefix);
				}
			}
		}
	}

	/**
	 * A node was created.
	 */
	void created(String prefix, String path) {
		Node asked = this.nodes.get(prefix);
		if (asked == null || asked.state != State.ASKED) {
			put(path, State.THERE);
			return;
		}
		int longer = path.length() - prefix.length() - DIGITS;
		this.nodes.put(path, new Node(State.THERE, asked.bytes + longer));
		this.nodes.remove(prefix);
		this.bytes.addAndGet(longer);
	}

	/**
	 * A create was not executed, as far as anybody can see, but may still be.
	 */
	void mayFollow(String prefix) {
		Node asked = this.nodes.get(prefix);
		if (asked != null) {
			asked.state = State.MAY_FOLLOW;
		}
	}

	/**
	 * There is no node of an attempt any more that is not known by its path.
	 */
	void decided(String prefix) {
		remove(prefix);
	}

	// Deleting

	/**
	 * A node is to be deleted.
	 */
	void known(String path) {
		if (!this.nodes.containsKey(path)) {
			put(path, State.THERE);
		}
	}

	/**
	 * The delete of a known node is about to be sent.
	 */
	void deleting(String path) {
		Node present = this.nodes.get(path);
		if (present != null) {
			present.state = State.DELETING;
		}
	}

	/**
	 * A node is gone.
	 */
	void gone(String path) {
		remove(path);
	}

	private void put(String path, State state) {
		Node added = new Node(state, size(path));
		if (this.nodes.putIfAbsent(path, added) == null) {
			this.bytes.addAndGet(added.bytes);
		}
	}

	private void remove(String path) {
		Node removed = this.nodes.remove(path);
		if (removed != null) {
			this.bytes.addAndGet(-removed.bytes);
		}
	}

	private int size(String path) {
		return Integer.BYTES + this.prefixBytes + length(path);
	}

	// What is left

	/**
	 * Tell all that is left.
	 * @param known takes the paths of nodes whose delete was never sent
	 * @param deleting takes the paths of nodes whose delete was sent and not answered
	 * @param undecided takes the paths, without their numbers, of creates of which nobody
	 * knows what has become
	 */
	void forEach(Consumer<String> known, Consumer<String> deleting, Consumer<String> undecided) {
		this.nodes.forEach((path, node) -> {
			switch (node.state) {
				case THERE -> known.accept(path);
				case DELETING -> deleting.accept(path);
				default -> undecided.accept(path);
			}
		});
	}

	private enum State {

		/**
		 * The create is sent and not answered, or its answer was lost.
		 */
		ASKED,

		/**
		 * The create was not executed, but may still be.
		 */
		MAY_FOLLOW,

		THERE,

		/**
		 * The delete is sent.
		 */
		DELETING

	}

	private static final class Node {

		private final int bytes;

		private volatile State state;

		Node(State state, int bytes) {
			this.state = state;
			this.bytes = bytes;
		}

	}

}
