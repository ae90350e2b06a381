package io.github.zklock.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.github.zklock.engine.Listing;
import io.github.zklock.engine.NodeEvents;
import io.github.zklock.engine.NodeSession;
import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.engine.NodeStore;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are kept in memory, as ZooKeeper would keep them: numbers, transactions and
 * watches are the same, and a container goes with its last child. Requests are executed
 * when they are sent. Sessions end only when they are closed.
 *
 * <p>
 * What happens here happens under one monitor, under which nothing else is called but
 * {@link NodeEvents#execute(Runnable)}. It is one class, since every request changes the
 * same tree.
 */
final class LocalNodes implements NodeStore {

	private static final String TOP = "/";

	private static final int DIGITS = 10;

	private final LongSupplier wallClock;

	private final Map<String, Node> nodes = new HashMap<>();

	private final LocalWatches dataWatches = new LocalWatches();

	private final LocalWatches childWatches = new LocalWatches();

	// The node that is being created or deleted
	private @Nullable String unfinished;

	private long zxid;

	private long sessions;

	/**
	 * Create a tree without nodes.
	 * @param wallClock the time, as {@link System#currentTimeMillis()}
	 */
	LocalNodes(LongSupplier wallClock) {
		this.wallClock = wallClock;
		this.nodes.put(TOP, node(new byte[0], null, false));
	}

	@Override
	public synchronized NodeSession open(NodeEvents events) {
		return new LocalSession(this, ++this.sessions, events);
	}

	@Override
	public String name() {
		return "this process";
	}

	@Override
	public String address() {
		return "zk.lock.type=local";
	}

	@Override
	public boolean isOpen() {
		return true;
	}

	@Override
	public int prefixBytes() {
		return 0;
	}

	@Override
	public boolean isLocal() {
		return true;
	}

	/**
	 * Return how many nodes there are.
	 */
	synchronized int size() {
		return this.nodes.size();
	}

	// Reading

	@Nullable Listing list(LocalSession session, String path, boolean watch) {
		Node node = this.nodes.get(path);
		if (node == null) {
			return null;
		}
		if (watch) {
			this.childWatches.add(path, session);
		}
		return new Listing(new ArrayList<>(node.children), node.pzxid, node.counter);
	}

	@Nullable Content read(LocalSession session, String path, boolean watch) {
		Node node = this.nodes.get(path);
		if (node == null) {
			return null;
		}
		if (watch) {
			this.dataWatches.add(path, session);
		}
		return node.content(true);
	}

	@Nullable Content exists(LocalSession session, String path, boolean watch) {
		if (watch) {
			this.dataWatches.add(path, session);
		}
		Node node = this.nodes.get(path);
		return (node != null) ? node.content(false) : null;
	}

	boolean contains(String path) {
		return this.nodes.containsKey(path);
	}

	boolean isEmpty(String path) {
		Node node = this.nodes.get(path);
		return node == null || node.children.isEmpty();
	}

	// Writing

	/**
	 * Create an ephemeral, sequential node.
	 * @return null if there is no parent
	 */
	@Nullable Created createSequential(LocalSession session, String prefix, byte[] data) {
		Node parent = this.nodes.get(parent(prefix));
		if (parent == null) {
			return null;
		}
		String path = prefix + number(parent.counter);
		this.zxid++;
		add(path, parent, node(data, session, false));
		return new Created(path, this.zxid);
	}

	private static String number(long counter) {
		String digits = Long.toString(counter);
		return "0".repeat(Math.max(0, DIGITS - digits.length())) + digits;
	}

	/**
	 * Create a node that outlives its session.
	 * @return false if there is no parent
	 */
	boolean createParent(String path, boolean container) {
		Node parent = this.nodes.get(parent(path));
		if (parent == null) {
			return false;
		}
		this.zxid++;
		add(path, parent, node(new byte[0], null, container));
		return true;
	}

	private Node node(byte[] data, @Nullable LocalSession owner, boolean container) {
		return new Node(data, this.zxid, this.wallClock.getAsLong(), owner, container);
	}

	private void add(String path, Node parent, Node node) {
		this.unfinished = path;
		if (node.owner != null) {
			node.owner.own().add(path);
		}
		parent.children.add(name(path));
		parent.counter++;
		parent.pzxid = this.zxid;
		this.nodes.put(path, node);
		this.dataWatches.fire(path, false);
		this.childWatches.fire(parent(path), false);
		this.unfinished = null;
	}

	/**
	 * Write a node's data.
	 * @return the number of the transaction, null if there is no such node
	 */
	@Nullable Long write(String path, byte[] data) {
		Node node = this.nodes.get(path);
		if (node == null) {
			return null;
		}
		node.data = data;
		node.mzxid = ++this.zxid;
		this.dataWatches.fire(path, false);
		return node.mzxid;
	}

	/**
	 * Delete a node that has no children, and its parent if that is a container that is
	 * empty now.
	 */
	void delete(String path) {
		this.unfinished = path;
		finish();
	}

	/**
	 * Delete a node whose create or delete has begun and not ended: the stack of a caller
	 * may have come to its end at any line.
	 */
	void finish() {
		for (String path = this.unfinished; path != null; path = this.unfinished) {
			Node node = this.nodes.get(path);
			if (node != null && node.owner != null) {
				node.owner.own().remove(path);
			}
			Node parent = this.nodes.get(parent(path));
			if (parent != null && parent.children.remove(name(path))) {
				parent.pzxid = ++this.zxid;
			}
			this.nodes.remove(path);
			this.childWatches.fire(path, true, this.dataWatches.fire(path, true));
			this.childWatches.fire(parent(path), false);
			boolean empty = parent != null && parent.container && parent.children.isEmpty();
			this.unfinished = empty ? parent(path) : null;
		}
	}

	/**
	 * A session has ended.
	 */
	void forget(LocalSession session) {
		this.dataWatches.forget(session);
		this.childWatches.forget(session);
	}

	// Paths

	private static String parent(String path) {
		int end = path.lastIndexOf('/');
		return (end > 0) ? path.substring(0, end) : TOP;
	}

	static String name(String path) {
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private static final class Node {

		private final long czxid;

		private final long created;

		private final @Nullable LocalSession owner;

		private final boolean container;

		private final Set<String> children = new HashSet<>();

		private byte[] data;

		private long mzxid;

		private long pzxid;

		private long counter;

		Node(byte[] data, long czxid, long created, @Nullable LocalSession owner, boolean container) {
			this.data = data;
			this.czxid = czxid;
			this.created = created;
			this.mzxid = czxid;
			this.pzxid = czxid;
			this.owner = owner;
			this.container = container;
		}

		Content content(boolean withData) {
			return Content.of(withData ? this.data : null, this.czxid, this.mzxid, this.created,
					(this.owner != null) ? this.owner.id() : 0);
		}

	}

}
