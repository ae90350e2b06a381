package io.github.zklock.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Nodes for which readers of one session wait, one for each lock at most. A reader that
 * comes later has to wait for the same node, and need not list who is before it until
 * that node has gone. Thread-safe.
 */
final class Blockers {

	private final NodeWatches watches;

	private final Map<String, ContenderNode> nodes = new ConcurrentHashMap<>();

	Blockers(NodeWatches watches) {
		this.watches = watches;
	}

	/**
	 * Readers wait for a node.
	 */
	void add(LockPath path, ContenderNode node) {
		this.nodes.put(path.parent(), node);
	}

	/**
	 * Return a node that is watched and has not gone, as far as has been heard; null if
	 * none is known. What is not watched any more is forgotten.
	 */
	@Nullable ContenderNode find(LockPath path) {
		ContenderNode node = this.nodes.get(path.parent());
		if (node != null && !this.watches.isWatched(path.child(node.name()))) {
			this.nodes.remove(path.parent(), node);
			return null;
		}
		return node;
	}

	boolean isEmpty() {
		return this.nodes.isEmpty();
	}

}
