package io.github.zklock.engine;

import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.Contender.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Where the node of an attempt is in the queue: found out by a list of all nodes. The
 * first list is sent in the flight of the create, and is answered behind it. Readers, of
 * whom there may be many, share lists, and need none while others of their session wait
 * for a node before them. From then on those before it are watched, one by one. Under the
 * monitor of the attempt's owner.
 */
final class QueuePosition {

	private final Contender contender;

	private final LockPath path;

	// What was asked for before the latest list has nothing to say
	private int latestList;

	// The first list was not sent, or was lost, before the create was answered
	private boolean missing;

	// As long as there are any
	private @Nullable Predecessors predecessors;

	QueuePosition(Contender contender) {
		this.contender = contender;
		this.path = contender.path();
	}

	private Session session() {
		return this.contender.session();
	}

	private boolean isReader() {
		return this.contender.kind().isShared();
	}

	/**
	 * Send the first list, behind the create.
	 */
	void listBehindCreate() {
		int number = ++this.latestList;
		this.missing = isReader() && session().blockers().find(this.path) != null;
		if (this.missing) {
			// It will have to wait for what others wait for already
			return;
		}
		Consumer<Response<Listing>> answer = (response) -> this.contender.locked(() -> listed(response, number, true));
		if (isReader()) {
			session().lists().share(this.path.parent(), answer);
		}
		else {
			session().lists().list(this.path.parent(), answer);
		}
	}

	/**
	 * The create is answered, so the list of the same flight will be, if it was sent.
	 */
	void created() {
		if (this.missing) {
			waitOrList();
		}
	}

	/**
	 * Let a list that has still to be sent not come before one that is asked for later.
	 */
	void forgetEarlierLists() {
		this.latestList++;
	}

	/**
	 * Wait for what other readers wait for, or find out who is before.
	 */
	private void waitOrList() {
		ContenderNode own = this.contender.node().contenderNode();
		ContenderNode blocker = isReader() ? session().blockers().find(this.path) : null;
		if (own != null && blocker != null && blocker.blocks(own) && own.sequence() < this.contender.sequenceLimit()) {
			waitFor(Predecessors.oneOf(this.contender, this, own, blocker));
		}
		else {
			this.contender.list();
		}
	}

	/**
	 * List all nodes.
	 */
	void list() {
		int number = ++this.latestList;
		session().lists()
			.share(this.path.parent(), (response) -> this.contender.locked(() -> listed(response, number, false)));
	}

	private void listed(Response<Listing> response, int number, boolean first) {
		if (number != this.latestList) {
			return;
		}
		if (!this.contender.isIn(Phase.LISTING)) {
			// A shared list that was lost has no answer of its own to wait for
			this.missing = true;
			return;
		}
		switch (response.meaning()) {
			case OK -> evaluate(response.result(), first);
			case NO_NODE -> this.contender.nodeVanished();
			case DISCONNECTED, UNKNOWN, BUSY ->
				session().retries().later(response, () -> this.contender.locked(this.contender::listAgain));
			default -> this.contender.refused(response);
		}
	}

	private void evaluate(Listing listing, boolean first) {
		this.contender.listed();
		ContenderNode own = this.contender.node().contenderNode();
		if (own == null || !listing.contains(own)) {
			this.contender.nodeVanished();
			return;
		}
		if (own.sequence() < 0 || own.sequence() >= ContenderSettings.LAST_SEQUENCE) {
			this.contender.fail(outOfNumbers());
			return;
		}
		if (own.sequence() >= this.contender.sequenceLimit()) {
			this.contender.drain();
			return;
		}
		List<ContenderNode> before = listing.blocking(own);
		if (before.isEmpty()) {
			this.contender.node().lowest(first ? listing.pzxid() : 0);
			this.contender.grant();
		}
		else {
			waitFor(new Predecessors(this.contender, this, own, before));
		}
	}

	// Waiting

	private void waitFor(Predecessors before) {
		this.predecessors = before;
		this.contender.queued();
		before.watch();
		this.contender.notifyQueued();
	}

	boolean isBehind(Predecessors before) {
		return this.predecessors == before;
	}

	/**
	 * The nearest predecessor has gone.
	 */
	void nearestGone(Predecessors before) {
		boolean known = before.advance();
		if (known && !before.isEmpty()) {
			waitFor(before);
			return;
		}
		this.predecessors = null;
		if (known) {
			this.contender.grant();
		}
		else {
			this.contender.notifyQueued();
			if (!this.contender.isIn(Phase.ENDED)) {
				this.contender.list();
			}
		}
	}

	/**
	 * Watch nobody any more.
	 */
	void forgetPredecessors() {
		if (this.predecessors != null) {
			this.predecessors.forget();
			this.predecessors = null;
		}
	}

	private Failure outOfNumbers() {
		return new Failure(UnavailableReason.LIMIT,
				"its queue has run out of numbers: delete node '%s', which is below the root (property 'zk.lock.root'), when it is empty"
					.formatted(this.path.parent()));
	}

}
