package io.github.zklock.engine;

import java.util.Comparator;
import java.util.List;

/**
 * The nodes that have to go before an attempt is granted. The nearest is watched; when it
 * has gone, the next one becomes the nearest, without a new list: what comes later has a
 * higher number. Under the monitor of the attempt's owner.
 */
final class Predecessors {

	private static final int MOST_MISSES = 3;

	private final LockPath path;

	private final boolean complete;

	private final boolean readersWait;

	// The nearest last
	private final List<ContenderNode> before;

	private int size;

	private int misses;

	private boolean seen;

	private boolean staysAway;

	/**
	 * Begin with the nearest.
	 * @param path where the nodes are
	 * @param own whose predecessors they are
	 * @param before all nodes that have to go first, at least one
	 */
	Predecessors(LockPath path, ContenderNode own, List<ContenderNode> before) {
		this(path, own, before, true);
	}

	private Predecessors(LockPath path, ContenderNode own, List<ContenderNode> before, boolean complete) {
		this.path = path;
		this.complete = complete;
		this.readersWait = own.isShared();
		this.before = before.stream().sorted(Comparator.comparingLong(ContenderNode::sequence)).toList();
		this.size = before.size();
		this.staysAway = nearest().staysAway();
	}

	/**
	 * Begin with one of which it is not known whether it is the nearest.
	 */
	static Predecessors oneOf(LockPath path, ContenderNode own, ContenderNode known) {
		return new Predecessors(path, own, List.of(known), false);
	}

	/**
	 * Return the nearest.
	 */
	ContenderNode nearest() {
		return this.before.get(this.size - 1);
	}

	/**
	 * Return the path of the nearest.
	 */
	String nearestPath() {
		return this.path.child(nearest().name());
	}

	boolean isNearest(String path) {
		return this.size > 0 && nearestPath().equals(path);
	}

	/**
	 * The nearest is there.
	 * @param isOurs whether a client of this library has made it
	 */
	void present(boolean isOurs) {
		this.seen = true;
		this.misses = 0;
		this.staysAway = nearest().staysAway() || isOurs;
	}

	/**
	 * The nearest has gone: go on with the next one.
	 * @return false if a new list has to tell who is before: not all of them are known,
	 * the one that has gone may come back under its number, as the write nodes of other
	 * clients may, or it takes too many steps
	 */
	boolean advance() {
		if (!this.complete || !this.staysAway) {
			return false;
		}
		if (!this.seen) {
			this.misses++;
		}
		this.size--;
		if (this.size == 0) {
			return true;
		}
		this.seen = false;
		this.staysAway = nearest().staysAway();
		return this.misses < MOST_MISSES && isWorthAStep();
	}

	/**
	 * Return whether to look at the next one. Readers of one process look together;
	 * another one finds out more by a list, unless there is only one left.
	 */
	private boolean isWorthAStep() {
		return this.readersWait || (this.size == 1 && this.staysAway);
	}

	/**
	 * Return whether nobody is before any more.
	 */
	boolean isEmpty() {
		return this.size == 0;
	}

}
