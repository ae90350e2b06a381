package io.github.zklock.engine;

import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Finds the nodes of one attempt, by the part of the name that only this attempt has.
 */
final class NodeSearch {

	private final Session session;

	private final LockPath path;

	private final String prefix;

	/**
	 * Create a search.
	 * @param session the session of the attempt
	 * @param path where its node is
	 * @param prefix the node's name without its number
	 */
	NodeSearch(Session session, LockPath path, String prefix) {
		this.session = session;
		this.path = path;
		this.prefix = prefix;
	}

	/**
	 * Find the nodes when it is decided whether there are any. A plain read could come
	 * too early, while the create is proposed and not committed: a write that is answered
	 * shows that it is decided.
	 * @param wanted whether anybody still wants to know
	 * @param answer takes the nodes, the oldest first; "no such node" if there is not
	 * even a parent
	 */
	void findWhenDecided(BooleanSupplier wanted, Consumer<Response<List<ContenderNode>>> answer) {
		this.session.retries().writeUntilAnswered(wanted, Operation.check(this.path.parent()), (barrier) -> {
			if (barrier.is(Meaning.OK)) {
				find(wanted, answer);
			}
			else {
				answer.accept(new Response<>(barrier.code(), null));
			}
		});
	}

	/**
	 * Find the nodes among those of the own session: the list of all who wait may be too
	 * long to read.
	 */
	void find(BooleanSupplier wanted, Consumer<Response<List<ContenderNode>>> answer) {
		this.session.retries()
			.readUntilAnswered(wanted, Operation.ownNodes(this.path.child(this.prefix)), (response) -> {
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
		this.session.retries()
			.listUntilAnswered(wanted, this.path.parent(),
					(response) -> answer.accept(new Response<>(response.code(), response.is(Meaning.OK)
							? ownNodes(response.result().contenders().stream().map(ContenderNode::name)) : null)));
	}

	private List<ContenderNode> ownNodes(Stream<String> names) {
		return ContenderNode.parseAll(names.filter((name) -> name.startsWith(this.prefix)).toList())
			.stream()
			.sorted(Comparator.comparingLong(ContenderNode::sequence))
			.toList();
	}

}
