package io.github.zklock.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.zklock.UnavailableReason;

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

	private final Map<String, State> nodes = new ConcurrentHashMap<>();

	/**
	 * Create an account without nodes.
	 * @param prefixBytes how many bytes the server puts before every path
	 * @param limit how many bytes the paths may have together
	 */
	OwnNodes(int prefixBytes, long limit) {
		this.prefixBytes = prefixBytes;
		this.limit = limit;
	}

	/**
	 * Return how long a path is in UTF-8.
	 */
	private static int length(String path) {
		int length = path.length();
		for (int index = 0; index < path.length(); index++) {
			char character = path.charAt(index);
			if (character >= 0x80) {
				// Each half of a surrogate pair stands for two of four bytes
				length += (character < 0x800 || Character.isSurrogate(character)) ? 1 : 2;
			}
		}
		return length;
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
	 * Say that there is no room for one more node.
	 */
	Failure noRoom() {
		return new Failure(UnavailableReason.LIMIT,
				("this process has %d nodes already, whose paths have %d bytes, and one more would make it more than %d:"
						+ " hold fewer locks at a time, or raise 'maxNodeBytes' (zk.lock.session.max-node-bytes)"
						+ " together with 'jute.maxbuffer' of the servers")
					.formatted(count(), bytes(), this.limit));
	}

	/**
	 * A create is about to be sent.
	 * @param prefix the path without its number
	 * @param exempt whether to do it beyond the limit, too
	 * @return false if it must not be sent
	 */
	boolean reserve(String prefix, boolean exempt) {
		if (this.nodes.putIfAbsent(prefix, State.ASKED) != null) {
			// an earlier create of the same attempt is counted already
			return true;
		}
		if (this.bytes.addAndGet(size(prefix, State.ASKED)) > this.limit && !exempt) {
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
				if (this.nodes.get(prefix) == State.ASKED) {
					remove(prefix);
				}
			}
		}
	}

	/**
	 * A node was created.
	 */
	void created(String prefix, String path) {
		if (this.nodes.get(prefix) != State.ASKED) {
			put(path, State.THERE);
			return;
		}
		this.nodes.put(path, State.THERE);
		this.nodes.remove(prefix);
		// At once: nobody else is to find less room than there is
		this.bytes.addAndGet(size(path, State.THERE) - size(prefix, State.ASKED));
	}

	/**
	 * A create was not executed, as far as anybody can see, but may still be.
	 */
	void mayFollow(String prefix) {
		this.nodes.replace(prefix, State.MAY_FOLLOW);
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
		put(path, State.THERE);
	}

	/**
	 * The delete of a known node is about to be sent.
	 */
	void deleting(String path) {
		this.nodes.replace(path, State.DELETING);
	}

	/**
	 * A node is deleted.
	 */
	void deleted(String path) {
		remove(path);
	}

	private void put(String path, State state) {
		if (this.nodes.putIfAbsent(path, state) == null) {
			this.bytes.addAndGet(size(path, state));
		}
	}

	private void remove(String path) {
		State removed = this.nodes.remove(path);
		if (removed != null) {
			this.bytes.addAndGet(-size(path, removed));
		}
	}

	private int size(String path, State state) {
		boolean withoutNumber = state == State.ASKED || state == State.MAY_FOLLOW;
		return Integer.BYTES + this.prefixBytes + length(path) + (withoutNumber ? DIGITS : 0);
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
		this.nodes.forEach((path, state) -> {
			switch (state) {
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

}
