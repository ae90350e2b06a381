package io.github.zklock.engine;

import java.util.List;

import io.github.zklock.engine.Contender.Phase;

/**
 * What the holder of a node knows of others who wait for the lock: asked for once, and
 * listened to from then on by a watch on the parent.
 */
final class Rivals implements ChildWatches.Observer {

	enum Known {

		/**
		 * Nothing, or something has changed since.
		 */
		UNKNOWN,

		/**
		 * There is nobody else, and nothing has been heard since.
		 */
		NONE,

		/**
		 * Somebody waits. It stays so until the own node is gone.
		 */
		WAITING

	}

	private final Contender holder;

	private final Session session;

	private final LockPath path;

	private Known known = Known.UNKNOWN;

	private boolean asking;

	Rivals(Contender holder) {
		this.holder = holder;
		this.session = holder.session();
		this.path = holder.path();
	}

	Known known() {
		return this.known;
	}

	/**
	 * Ask, unless it is known or has been asked.
	 */
	void ask() {
		if (this.known != Known.UNKNOWN || this.asking || !this.session.isConnected()) {
			return;
		}
		this.session.childWatches().observe(this.path.parent(), this);
		this.session.lists()
			.listAndWatch(this.path.parent(), (response) -> this.holder.locked(() -> answered(response)));
		this.asking = true;
	}

	private void answered(Response<Listing> response) {
		this.asking = false;
		if (!this.holder.isGranted()) {
			return;
		}
		switch (response.meaning()) {
			case OK -> listed(response.result());
			case NO_NODE -> this.holder.nodeVanished();
			case DISCONNECTED, UNKNOWN, BUSY ->
				this.session.retries().later(response, () -> this.holder.locked(this.holder::rivalsChanged));
			default -> {
				// What is too long to read has others in it
				this.known = Known.WAITING;
				this.holder.rivalsChanged();
			}
		}
	}

	private void listed(Listing listing) {
		List<ContenderNode> all = listing.contenders();
		if (all.stream().noneMatch((node) -> this.holder.node().hasName(node.name()))) {
			this.holder.nodeVanished();
			return;
		}
		// A queue that is to be drained is not kept alive by handing the lock around
		this.known = (all.size() == 1 && listing.counter() < this.holder.sequenceLimit()) ? Known.NONE : Known.WAITING;
		this.holder.rivalsChanged();
	}

	@Override
	public void childrenChanged() {
		this.holder.locked(() -> {
			if (this.known == Known.NONE && !this.holder.isIn(Phase.ENDED)) {
				this.known = Known.UNKNOWN;
				this.holder.rivalsChanged();
			}
		});
	}

	/**
	 * Listen no longer.
	 */
	void forget() {
		this.session.childWatches().forget(this.path.parent(), this);
	}

	/**
	 * Nothing is heard any more.
	 */
	void disconnected() {
		if (this.known == Known.NONE) {
			this.known = Known.UNKNOWN;
		}
	}

}
