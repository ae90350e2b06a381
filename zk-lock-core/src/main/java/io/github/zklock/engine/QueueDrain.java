package io.github.zklock.engine;

import io.github.zklock.engine.Contender.Phase;

/**
 * How an attempt whose queue runs out of numbers waits until the queue is empty, and
 * deletes its parent: only with that does the counter go. Under the monitor of the
 * attempt's owner.
 */
final class QueueDrain {

	private final Contender contender;

	private final LockPath path;

	QueueDrain(Contender contender) {
		this.contender = contender;
		this.path = contender.path();
	}

	/**
	 * Delete the parent, again and again, as long as the attempt is draining.
	 */
	void start() {
		Session session = this.contender.session();
		session.retries()
			.writeUntilAnswered(() -> this.contender.isIn(Phase.DRAINING), Operation.delete(this.path.parent()),
					(response) -> this.contender.locked(() -> answered(session, response)));
	}

	private void answered(Session session, Response<String> response) {
		if (!this.contender.isIn(Phase.DRAINING)) {
			return;
		}
		switch (response.meaning()) {
			case OK, NO_NODE -> this.contender.nodeVanished();
			case NOT_EMPTY -> session.loop().backOff(() -> this.contender.locked(this::start));
			default -> this.contender.refused(response);
		}
	}

}
