package io.github.zklock.engine;

import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Finds out what has become of a create whose answer was lost, by the part of the name
 * that only this attempt has.
 */
final class LostCreate {

	private final Session session;

	private final LockPath path;

	private final String prefix;

	/**
	 * Create one for an attempt.
	 * @param session its session
	 * @param path where its node is
	 * @param prefix the node's name without its number
	 */
	LostCreate(Session session, LockPath path, String prefix) {
		this.session = session;
		this.path = path;
		this.prefix = prefix;
	}

	/**
	 * Look for the node at a time when the create is decided. A plain read could come too
	 * early, while the create is proposed and not committed: a write that is answered
	 * shows that it is decided.
	 * @param wanted whether anybody still wants to know
	 * @param answer takes the nodes that this attempt has created, the oldest first; "no
	 * such node" if there is not even a parent
	 */
	void findWhenDecided(BooleanSupplier wanted, Consumer<Response<List<ContenderNode>>> answer) {
		this.session.insistOnWrite(wanted, Operation.check(this.path.parent()), (barrier) -> {
			if (barrier.is(Meaning.OK)) {
				find(wanted, answer);
			}
			else {
				answer.accept(new Response<>(barrier.code(), null));
			}
		});
	}

	/**
	 * Look among the nodes of the own session: the list of all who wait may be too long
	 * to read.
	 */
	private void find(BooleanSupplier wanted, Consumer<Response<List<ContenderNode>>> answer) {
		this.session.insistOnRead(wanted, Operation.ownNodes(this.path.child(this.prefix)), (response) -> {
			if (response.is(Meaning.OK)) {
				answer.accept(new Response<>(response.code(), ownNodes(response.result().stream())));
			}
			else {
				// Not every server can be asked
				list(wanted, answer);
			}
		});
	}

	private void list(BooleanSupplier wanted, Consumer<Response<List<ContenderNode>>> answer) {
		this.session.insistOnList(wanted, this.path.parent(),
				(response) -> answer.accept(new Response<>(response.code(), response.is(Meaning.OK)
						? ownNodes(response.result().contenders().stream().map(ContenderNode::name)) : null)));
	}

	private List<ContenderNode> ownNodes(Stream<String> names) {
		return ContenderNode.parseAll(names.filter((name) -> name.startsWith(this.prefix)).toList())
			.stream()
			.sorted(Comparator.comparingLong(ContenderNode::sequence))
			.toList();
	}

	/**
	 * Delete the nodes of this attempt that it does not know of: a server may have been
	 * so slow that it executed a create after all.
	 * @param known whether the attempt knows a node
	 */
	void deleteUnless(Predicate<ContenderNode> known) {
		find(() -> true, (response) -> {
			if (response.is(Meaning.OK)) {
				response.result().stream().filter(known.negate()).forEach(this::delete);
			}
			if (response.is(Meaning.OK) || response.is(Meaning.NO_NODE)) {
				this.session.nodes().decided(this.path.child(this.prefix));
			}
			else {
				// Nobody else looks for it
				this.session.loop().schedule(() -> deleteUnless(known), this.session.timeout().toNanos());
			}
		});
	}

	void delete(ContenderNode node) {
		this.session.delete(this.path.child(node.name()));
	}

}
