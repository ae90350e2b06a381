package io.github.zklock.zookeeper;

import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.github.zklock.zookeeper.Operation.Listing;
import io.github.zklock.zookeeper.ReturnCode.Meaning;

/**
 * Finds out what has become of a create whose answer was lost, by the part of the name
 * that only this attempt has.
 */
final class LostCreate {

	private final Session session;

	private final LockPath path;

	private final String prefix;

	LostCreate(Session session, LockPath path, String prefix) {
		this.session = session;
		this.path = path;
		this.prefix = prefix;
	}

	/**
	 * List the siblings at a time when the create is decided. A plain read could come too
	 * early, while the create is proposed and not committed: a write that is answered
	 * shows that it is decided.
	 * @param wanted whether anybody still wants to know
	 * @param answer takes the list; "no such node" if there is not even a parent
	 */
	void listWhenDecided(BooleanSupplier wanted, Consumer<Response<Listing>> answer) {
		this.session.insistOnWrite(wanted, Operation.check(this.path.parent()), (barrier) -> {
			if (barrier.is(Meaning.OK)) {
				this.session.insistOnList(wanted, this.path.parent(), answer);
			}
			else {
				answer.accept(new Response<>(barrier.code(), null));
			}
		});
	}

	/**
	 * Return the nodes that this attempt has created, the oldest first.
	 */
	List<ContenderNode> ownNodes(Listing listing) {
		return ContenderNode.parseAll(listing.children())
			.stream()
			.filter((child) -> child.name().startsWith(this.prefix))
			.sorted(Comparator.comparingLong(ContenderNode::sequence))
			.toList();
	}

	/**
	 * Delete the nodes of this attempt that it does not know of: a server may have been
	 * so slow that it executed a create after all.
	 * @param known whether the attempt knows a node
	 */
	void deleteUnless(Predicate<ContenderNode> known) {
		this.session.insistOnList(() -> true, this.path.parent(), (response) -> {
			if (response.is(Meaning.OK)) {
				ownNodes(response.result()).stream().filter(known.negate()).forEach(this::delete);
			}
		});
	}

	void delete(ContenderNode node) {
		this.session.delete(this.path.child(node.name()));
	}

}
