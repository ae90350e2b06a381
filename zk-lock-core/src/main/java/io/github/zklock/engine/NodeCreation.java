package io.github.zklock.engine;

import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.Contender.Phase;
import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt gets its node: the node is created, and the levels above it if they are
 * missing. If the answer is lost, it is found out whether the node is there, and should a
 * server be so slow that it executes a create afterwards, what comes of that is deleted.
 *
 * <p>
 * Everything happens under the monitor of the attempt's owner. One class, since a lost
 * answer and missing parents may follow each other in any order.
 */
final class NodeCreation {

	private static final int PARENT_ATTEMPTS = 20;

	private static final int PARENT_ATTEMPTS_WITHOUT_PAUSE = 5;

	private final Contender contender;

	private final ContenderSettings settings;

	private final Session session;

	private final LockPath path;

	private final String prefix;

	private final byte[] data;

	private boolean replacement;

	private @Nullable ParentNodes parents;

	private int parentAttempts;

	// A create was sent, and nobody knows what has become of it
	private boolean undecided;

	private boolean sentAgain;

	/**
	 * Create a node for an attempt, later.
	 * @param contender the attempt
	 * @param settings what all attempts have in common
	 * @param data its data
	 */
	NodeCreation(Contender contender, ContenderSettings settings, byte[] data) {
		this.contender = contender;
		this.settings = settings;
		this.session = contender.session();
		this.path = contender.path();
		this.prefix = contender.kind().prefix(settings.ids().next());
		this.data = data;
	}

	/**
	 * Another node of this session is deleted in the same flight, so there is room.
	 */
	void replace() {
		this.replacement = true;
	}

	private String prefixPath() {
		return this.path.child(this.prefix);
	}

	boolean isUndecided() {
		return this.undecided;
	}

	/**
	 * An error has hit the attempt: a create may have been sent.
	 */
	void mayBeSent() {
		this.undecided = true;
	}

	/**
	 * Send the create, if there is room for the node.
	 */
	boolean send() {
		if (!this.session.nodes().reserve(prefixPath(), this.replacement)) {
			this.contender.fail(this.session.nodes().noRoom());
			return false;
		}
		this.undecided = true;
		this.session.create(prefixPath(), this.data, (response) -> this.contender.locked(() -> created(response)));
		return true;
	}

	private void created(Response<Created> response) {
		this.undecided = response.is(Meaning.OK) || response.is(Meaning.DISCONNECTED) || response.is(Meaning.UNKNOWN);
		if (!this.contender.isIn(Phase.CREATING)) {
			if (response.is(Meaning.OK)) {
				this.session.delete(response.result().path());
			}
			return;
		}
		switch (response.meaning()) {
			case OK -> this.contender.created(response.result(), this.parentAttempts > 1);
			case NO_NODE -> createParents();
			case DISCONNECTED, UNKNOWN -> {
				this.contender.recovering();
				this.session.retries().later(response, () -> this.contender.locked(this::recover));
			}
			case BUSY ->
				this.session.retries().later(response, () -> this.contender.locked(this.contender::createAgain));
			default -> this.contender.refused(response);
		}
	}

	// Parents

	/**
	 * Create the parent, or all levels if that has not helped, and send the create again
	 * in the same flight.
	 */
	private void createParents() {
		if (this.contender.isUnwanted()) {
			this.contender.release();
			return;
		}
		Failure failure = parents().failure();
		if (failure != null) {
			this.contender.fail(failure);
			return;
		}
		if (++this.parentAttempts > PARENT_ATTEMPTS) {
			this.contender.fail(new Failure(UnavailableReason.REFUSED,
					"its parent node '%s' is removed again and again: check what deletes nodes below the root (property 'zk.lock.root')"
						.formatted(this.path.parent())));
			return;
		}
		if (this.parentAttempts > PARENT_ATTEMPTS_WITHOUT_PAUSE) {
			this.session.loop().backOff(() -> this.contender.locked(this::createParentsNow));
		}
		else {
			createParentsNow();
		}
	}

	private void createParentsNow() {
		if (this.contender.isIn(Phase.CREATING)) {
			parents().create(this.parentAttempts == 1, this.contender::createAgain);
		}
	}

	private ParentNodes parents() {
		ParentNodes present = this.parents;
		if (present == null) {
			present = new ParentNodes(this.settings, this.session, this.contender, this.path);
			this.parents = present;
		}
		return present;
	}

	// Recovering a create whose answer was lost

	private void recover() {
		search().findWhenDecided(() -> this.contender.isIn(Phase.RECOVERING),
				(response) -> this.contender.locked(() -> recovered(response)));
	}

	private NodeSearch search() {
		return new NodeSearch(this.session, this.path, this.prefix);
	}

	private void recovered(Response<List<ContenderNode>> response) {
		if (!this.contender.isIn(Phase.RECOVERING)) {
			return;
		}
		switch (response.meaning()) {
			case OK -> {
				if (response.result().isEmpty()) {
					sendAgain();
				}
				else {
					found(response.result());
				}
			}
			case NO_NODE -> sendAgain();
			default -> this.contender.refused(response);
		}
	}

	private void found(List<ContenderNode> own) {
		this.undecided = false;
		String node = this.path.child(own.get(0).name());
		this.contender.nodeIs(node);
		this.session.nodes().created(prefixPath(), node);
		own.stream().skip(1).forEach(this::delete);
		if (this.contender.isUnwanted()) {
			this.contender.release();
			return;
		}
		this.contender.found();
		this.session.retries()
			.readUntilAnswered(() -> this.contender.isIn(Phase.LISTING), Operation.exists(node, false),
					(read) -> this.contender.locked(() -> seen(read)));
	}

	/**
	 * The node that was found is read, for the transaction that has created it.
	 */
	private void seen(Response<Content> response) {
		if (!this.contender.isIn(Phase.LISTING)) {
			return;
		}
		switch (response.meaning()) {
			case OK -> {
				this.contender.node().czxid(response.result().czxid());
				this.contender.list();
			}
			case NO_NODE -> this.contender.nodeVanished();
			default -> this.contender.refused(response);
		}
	}

	private void delete(ContenderNode node) {
		this.session.delete(this.path.child(node.name()));
	}

	/**
	 * The first create has not been executed. Should a slow server still execute it, the
	 * node is deleted later.
	 */
	private void sendAgain() {
		if (!this.sentAgain) {
			this.sentAgain = true;
			this.session.nodes().mayFollow(prefixPath());
			deleteStrayNodeLater();
		}
		this.contender.createAgain();
	}

	// What comes too late

	/**
	 * Delete what this attempt has created and does not know of, after one session
	 * timeout.
	 */
	void deleteStrayNodeLater() {
		this.session.loop()
			.schedule(() -> this.contender.locked(this::deleteStrayNode), this.session.timeout().toNanos());
	}

	private void deleteStrayNode() {
		if (this.contender.isIn(Phase.CREATING) || this.contender.isIn(Phase.RECOVERING)) {
			deleteStrayNodeLater();
		}
		else {
			deleteStrayNodeNow();
		}
	}

	private void deleteStrayNodeNow() {
		Consumer<Response<List<ContenderNode>>> answer = (response) -> {
			if (response.is(Meaning.OK)) {
				response.result()
					.stream()
					.filter((node) -> !this.contender.node().hasName(node.name()))
					.forEach(this::delete);
			}
			if (response.is(Meaning.OK) || response.is(Meaning.NO_NODE)) {
				this.session.nodes().decided(prefixPath());
			}
			else {
				// Nobody else looks for it
				this.session.loop().schedule(this::deleteStrayNodeNow, this.session.timeout().toNanos());
			}
		};
		search().find(() -> true, answer);
	}

}
