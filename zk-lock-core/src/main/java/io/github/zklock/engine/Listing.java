package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The children of a node. Many attempts may look at one list, so it is taken apart once,
 * when somebody first asks. For the event loop only.
 */
public final class Listing {

	private final List<String> children;

	private final long pzxid;

	private final long counter;

	private @Nullable Map<String, ContenderNode> contenders;

	private @Nullable List<ContenderNode> exclusive;

	/**
	 * Create a list.
	 * @param children the names of the children
	 * @param pzxid the last transaction that has created or deleted a child
	 * @param counter how many children were ever created, which is the next child's
	 * number
	 */
	public Listing(List<String> children, long pzxid, long counter) {
		this.children = children;
		this.pzxid = pzxid;
		this.counter = counter;
	}

	/**
	 * Return the children that contend.
	 */
	List<ContenderNode> contenders() {
		return List.copyOf(byName().values());
	}

	boolean contains(ContenderNode node) {
		return byName().containsKey(node.name());
	}

	/**
	 * Return the nodes that have to go before the given one may have the lock.
	 */
	List<ContenderNode> blocking(ContenderNode own) {
		List<ContenderNode> before = new ArrayList<>();
		for (ContenderNode other : own.isShared() ? exclusive() : byName().values()) {
			if (other.blocks(own)) {
				before.add(other);
			}
		}
		return before;
	}

	private Map<String, ContenderNode> byName() {
		Map<String, ContenderNode> nodes = this.contenders;
		if (nodes == null) {
			nodes = new HashMap<>();
			for (String child : this.children) {
				ContenderNode node = ContenderNode.parse(child);
				if (node != null) {
					nodes.put(child, node);
				}
			}
			this.contenders = nodes;
		}
		return nodes;
	}

	private List<ContenderNode> exclusive() {
		List<ContenderNode> nodes = this.exclusive;
		if (nodes == null) {
			nodes = byName().values().stream().filter((node) -> !node.isShared()).toList();
			this.exclusive = nodes;
		}
		return nodes;
	}

	/**
	 * Return the last transaction that has created or deleted a child.
	 */
	long pzxid() {
		return this.pzxid;
	}

	/**
	 * Return how many children were ever created, which is the next child's number.
	 */
	long counter() {
		return this.counter;
	}

}
