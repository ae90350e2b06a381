package io.github.zklock.engine;

import java.util.List;

import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Looks whether a lock is free before anything is written, for requests that do not want
 * to wait. Under the monitor of its {@link LockQueue}.
 */
final class ZeroWaitProbe {

	private final LockQueue queue;

	private final Session session;

	private final String parent;

	ZeroWaitProbe(LockQueue queue, Session session) {
		this.queue = queue;
		this.session = session;
		this.parent = queue.path().parent();
	}

	/**
	 * Return whether there will be no answer.
	 */
	boolean isOver() {
		return this.session.hasEnded();
	}

	void send() {
		this.session.write(Operation.sync(this.parent), (response) -> {
		});
		this.session.lists().list(this.parent, this::answered);
	}

	private void answered(Response<Listing> response) {
		synchronized (this.queue) {
			if (!this.queue.contention().endProbe(this)) {
				return;
			}
			if (response.is(Meaning.OK)) {
				List<ContenderNode> present = response.result().contenders();
				this.queue.waiters()
					.refuseImpatient((request) -> present.stream().anyMatch(request.kind()::isBlockedBy));
			}
			else if (!response.is(Meaning.NO_NODE)) {
				this.queue.waiters().failImpatient(whyUnanswered(response));
			}
			this.queue.contention().contendOrRelease();
		}
	}

	private Failure whyUnanswered(Response<?> response) {
		return switch (response.meaning()) {
			case DISCONNECTED -> this.queue.context().keeper().reachability().notConnected();
			case REFUSED, TOO_LONG -> Refusal.of(response, this.parent);
			default -> new Failure(UnavailableReason.NO_ANSWER,
					"no usable answer: look at the servers (property 'zk.lock.connect-string') and their logs",
					response.toException(this.parent));
		};
	}

}
