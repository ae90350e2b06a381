package io.github.zklock.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What is left of a session that has ended. For the event loop only.
 */
final class OldSession {

	private final OwnNodes nodes;

	private final Set<Item> items = new LinkedHashSet<>();

	private boolean collected;

	OldSession(OwnNodes nodes) {
		this.nodes = nodes;
	}

	/**
	 * Ask for the nodes when they are needed: a caller may have sent a create while the
	 * session ended.
	 */
	void collect() {
		if (!this.collected) {
			this.collected = true;
			this.nodes.forEach((path) -> this.items.add(new Item(this, path, true, false)),
					(path) -> this.items.add(new Item(this, path, false, false)),
					(prefix) -> this.items.add(new Item(this, prefix, false, true)));
		}
	}

	/**
	 * Return what is left.
	 */
	List<Item> items() {
		return List.copyOf(this.items);
	}

	/**
	 * Return a node whose delete was never sent, if there is one.
	 * @param wanted whether somebody here wants what the nodes below a path contend for:
	 * such a node comes first
	 */
	@Nullable Item probe(Predicate<String> wanted) {
		List<Item> candidates = this.items.stream().filter((item) -> item.neverSent).toList();
		return candidates.stream()
			.filter((item) -> wanted.test(item.parent()))
			.findFirst()
			.orElse(candidates.isEmpty() ? null : candidates.get(0));
	}

	boolean isDone() {
		return this.collected && this.items.isEmpty();
	}

	/**
	 * A node to delete, or nodes to look for.
	 */
	static final class Item {

		private final OldSession owner;

		private final String path;

		private final boolean search;

		private boolean neverSent;

		private @Nullable Response<?> barrier;

		private Item(OldSession owner, String path, boolean neverSent, boolean search) {
			this.owner = owner;
			this.path = path;
			this.neverSent = neverSent;
			this.search = search;
		}

		/**
		 * Return the path of the node; without its number, if it has to be looked for.
		 */
		String path() {
			return this.path;
		}

		String parent() {
			return this.path.substring(0, this.path.lastIndexOf('/'));
		}

		/**
		 * Return whether nobody knows whether there are such nodes, and which.
		 */
		boolean isSearch() {
			return this.search;
		}

		/**
		 * Return whether a node is one of those that are looked for.
		 */
		boolean isFoundIn(ContenderNode node) {
			return node.name().startsWith(this.path.substring(this.path.lastIndexOf('/') + 1));
		}

		/**
		 * Add a node that was found.
		 */
		Item found(ContenderNode node) {
			Item item = new Item(this.owner, parent() + "/" + node.name(), false, false);
			this.owner.items.add(item);
			return item;
		}

		void sent() {
			this.neverSent = false;
		}

		@Nullable Response<?> barrier() {
			return this.barrier;
		}

		void barrier(Response<?> answer) {
			this.barrier = answer;
		}

		boolean isLeft() {
			return this.owner.items.contains(this);
		}

		void remove() {
			this.owner.items.remove(this);
		}

	}

}
