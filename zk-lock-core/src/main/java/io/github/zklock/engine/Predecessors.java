package io.github.zklock.engine;

import java.util.Comparator;
import java.util.List;

/**
 * The nodes that have to go before an attempt is granted. The nearest is watched; when it
 * has gone, the next one becomes the nearest, without a new list: what comes later has a
 * higher number. Under the monitor of the attempt's owner.
 */
final class Predecessors implements NodeWatches.Observer {

	private static final int MOST_MISSES = 3;

	private final Contender contender;

	private final QueuePosition position;

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
	 * @param contender whose predecessors they are
	 * @param position told what becomes of them
	 * @param own its node
	 * @param before all nodes that have to go first, at least one
	 */
	Predecessors(Contender contender, QueuePosition position, ContenderNode own, List<ContenderNode> before) {
		this(contender, position, own, before, true);
	}

	private Predecessors(Contender contender, QueuePosition position, ContenderNode own, List<ContenderNode> before,
			boolean complete) {
		this.contender = contender;
		this.position = position;
		this.complete = complete;
		this.readersWait = own.isShared();
		this.before = before.stream().sorted(Comparator.comparingLong(ContenderNode::sequence)).toList();
		this.size = before.size();
		this.staysAway = nearest().staysAway();
	}

	/**
	 * Begin with one of which it is not known whether it is the nearest.
	 */
	static Predecessors oneOf(Contender contender, QueuePosition position, ContenderNode own, ContenderNode known) {
		return new Predecessors(contender, position, own, List.of(known), false);
	}

	private Session session() {
		return this.contender.session();
	}

	/**
	 * Watch the nearest.
	 */
	void watch() {
		if (this.readersWait) {
			session().blockers().add(this.contender.path(), nearest());
		}
		session().watches().watch(nearestPath(), this);
	}

	/**
	 * Watch nobody any more.
	 */
	void forget() {
		if (this.size > 0) {
			session().watches().forget(nearestPath(), this);
		}
		session().blockers().find(this.contender.path());
	}

	@Override
	public void present(String present, boolean isOurs) {
		locked(present, () -> {
			this.seen = true;
			this.misses = 0;
			this.staysAway = nearest().staysAway() || isOurs;
			this.contender.notifyQueued();
		});
	}

	@Override
	public void deleted(String deleted) {
		locked(deleted, () -> {
			session().blockers().find(this.contender.path());
			this.position.nearestGone(this);
		});
	}

	@Override
	public void refused(String refused, Response<?> response) {
		locked(refused, () -> this.contender.refused(response));
	}

	/**
	 * Do something about the nearest, unless it is another one by now.
	 */
	private void locked(String watched, Runnable transition) {
		this.contender.locked(() -> {
			if (this.position.isBehind(this) && this.size > 0 && nearestPath().equals(watched)) {
				transition.run();
			}
		});
	}

	private ContenderNode nearest() {
		return this.before.get(this.size - 1);
	}

	private String nearestPath() {
		return this.contender.path().child(nearest().name());
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
