package io.github.zklock.zookeeper;

import java.util.Comparator;
import java.util.List;

import io.github.zklock.zookeeper.ReturnCode.Meaning;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The nearest node that has to go before an attempt is granted, watched until it has
 * gone.
 */
final class Predecessor {

	private final Contender successor;

	private final Session session;

	private final ContenderNode node;

	private final String path;

	private final boolean lowest;

	private boolean staysAway;

	private boolean asking;

	private boolean forgotten;

	/**
	 * Begin to watch.
	 * @param successor the attempt that waits
	 * @param session its session
	 * @param path where the nodes are
	 * @param before all nodes that have to go first
	 */
	Predecessor(Contender successor, Session session, LockPath path, List<ContenderNode> before) {
		this.successor = successor;
		this.session = session;
		this.node = before.stream().max(Comparator.comparingLong(ContenderNode::sequence)).orElseThrow();
		this.path = path.child(this.node.name());
		this.lowest = before.size() == 1;
		this.staysAway = this.node.isPlainLock();
	}

	/**
	 * Watch the node, by a read that leaves no watch behind if it has gone.
	 */
	void watch() {
		if (this.asking) {
			return;
		}
		this.asking = true;
		this.session.observe(this.path, this.successor);
		this.session.insistOnRead(() -> !this.forgotten, Operation.getData(this.path, this.session),
				(response) -> this.successor.locked(() -> answered(response)));
	}

	private void answered(Response<byte[]> response) {
		this.asking = false;
		if (this.forgotten) {
			return;
		}
		if (response.is(Meaning.OK)) {
			this.staysAway = this.node.isPlainLock() || NodeData.isOurs(response.result());
			this.successor.stillBehind();
		}
		else if (response.is(Meaning.NO_NODE)) {
			this.successor.predecessorGone();
		}
		else {
			this.successor.refused(response);
		}
	}

	boolean isAt(String path) {
		return this.path.equals(path);
	}

	void changed(EventType type) {
		if (type == EventType.NodeDeleted) {
			this.successor.predecessorGone();
		}
		else {
			watch();
		}
	}

	/**
	 * Return whether its end is the grant: nobody else was before it, and it cannot come
	 * back under the same number, as the nodes of other clients may.
	 */
	boolean isLastBefore() {
		return this.lowest && this.staysAway;
	}

	void forget() {
		this.forgotten = true;
		this.session.forget(this.path, this.successor);
	}

}
