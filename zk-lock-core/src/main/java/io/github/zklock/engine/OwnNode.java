package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.github.zklock.engine.Contender.Phase;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * The node of an attempt, from the moment at which its path is known: it is watched,
 * written for its fencing token, and deleted. Under the monitor of the attempt's owner.
 */
final class OwnNode implements NodeWatches.Observer {

	private final Contender contender;

	// Null as long as it is not known
	private @Nullable String node;

	private long czxid;

	private boolean czxidIsToken;

	private boolean watched;

	private @Nullable Rivals rivals;

	private @Nullable NodeDeletion deletion;

	OwnNode(Contender contender) {
		this.contender = contender;
	}

	private Session session() {
		return this.contender.session();
	}

	// What it is

	/**
	 * The node is there.
	 * @param path its path
	 */
	void is(String path) {
		this.node = path;
	}

	boolean isKnown() {
		return this.node != null;
	}

	/**
	 * Return whether a child of the parent is this node.
	 */
	boolean hasName(String name) {
		String own = this.node;
		int start = this.contender.path().parent().length() + 1;
		return own != null && own.length() == start + name.length() && own.startsWith(name, start);
	}

	/**
	 * Return what the name says of it.
	 */
	@Nullable ContenderNode contenderNode() {
		String own = this.node;
		return (own != null) ? this.contender.path().parse(own) : null;
	}

	/**
	 * Return the path of a node that is known.
	 */
	String path() {
		String own = this.node;
		if (own == null) {
			throw new IllegalStateException("No node yet");
		}
		return own;
	}

	/**
	 * Return why that is lost which was held by this node, which somebody has deleted.
	 */
	Loss loss() {
		return (this.node != null) ? Loss.deleted(this.node) : Loss.INTERNAL_ERROR;
	}

	// Fencing

	/**
	 * Return the transaction that has created it.
	 */
	long czxid() {
		return this.czxid;
	}

	void czxid(long czxid) {
		this.czxid = czxid;
	}

	/**
	 * Return whether the node's own creation orders its first holder behind all earlier
	 * ones.
	 */
	boolean czxidIsToken() {
		return this.czxidIsToken;
	}

	/**
	 * The node is the lowest.
	 * @param pzxid the last transaction that has created or deleted a sibling, if it was
	 * listed in the flight of the create; otherwise 0
	 */
	void lowest(long pzxid) {
		this.czxidIsToken = pzxid != 0 && pzxid == this.czxid;
	}

	/**
	 * Write the node, for the number of the transaction. Sent, and sent again, only while
	 * the one who asks has the lock.
	 */
	void writeToken(byte[] data, BooleanSupplier current, CompletableFuture<Long> token) {
		session().retries()
			.writeUntilAnswered(current, Operation.write(path(), data), (response) -> this.contender.locked(() -> {
				if (!current.getAsBoolean()) {
					return;
				}
				if (response.is(Meaning.OK)) {
					token.complete(response.result());
				}
				else if (response.is(Meaning.NO_NODE)) {
					this.contender.nodeVanished();
				}
				else {
					token.completeExceptionally(response.toException(path()));
				}
			}));
	}

	// Watching

	/**
	 * Watch the node if that has not been done: who deletes it by hand takes the lock
	 * away.
	 */
	void watch() {
		if (this.node != null && !this.watched) {
			this.watched = true;
			session().watches().watch(this.node, this);
		}
	}

	void forget() {
		if (this.rivals != null) {
			this.rivals.forget();
		}
		if (this.node != null) {
			session().watches().forget(this.node, this);
			// Readers of this process may have waited for it
			session().blockers().find(this.contender.path());
		}
	}

	@Override
	public void deleted(String deleted) {
		this.contender.locked(() -> {
			if (deleted.equals(this.node) && !this.contender.isIn(Phase.ENDED)) {
				this.contender.nodeVanished();
			}
		});
	}

	// Rivals

	/**
	 * Return what is known of others who wait.
	 */
	Rivals.Known rivals() {
		return (this.rivals != null) ? this.rivals.known() : Rivals.Known.UNKNOWN;
	}

	/**
	 * Find out whether others wait, and go on listening, unless that is known.
	 */
	void askForRivals() {
		Rivals present = this.rivals;
		if (present == null) {
			present = new Rivals(this.contender);
			this.rivals = present;
		}
		present.ask();
	}

	void disconnected() {
		if (this.rivals != null) {
			this.rivals.disconnected();
		}
	}

	// Deleting

	/**
	 * Delete the node, if there is one.
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> delete() {
		return deletion().begin(session(), this.node);
	}

	/**
	 * Return what becomes of the delete.
	 */
	NodeDeletion deletion() {
		NodeDeletion present = this.deletion;
		if (present == null) {
			present = new NodeDeletion(session().loop());
			this.deletion = present;
		}
		return present;
	}

}
