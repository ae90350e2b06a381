package io.github.zklock.engine;

import java.util.function.Consumer;

import io.github.zklock.engine.NodeSession.Reply;
import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Sends the operations of one session, each once, and has their answers processed by the
 * event loop. Each answer also shows whether the session still lives, may prolong its
 * lease, and may show that the connection is lost. Operations may be sent by any thread.
 */
final class OperationSender {

	private final Session session;

	private final EventLoop loop;

	private final Platform platform;

	private final Strikes strikes;

	private final Unanswered unanswered;

	OperationSender(Session session, Platform platform, Strikes strikes) {
		this.session = session;
		this.loop = session.loop();
		this.platform = platform;
		this.strikes = strikes;
		this.unanswered = new Unanswered(platform::nanoTime);
	}

	/**
	 * Return the age of the oldest request without an answer, in nanoseconds; 0 if all
	 * are answered.
	 */
	long oldestUnanswered() {
		return this.unanswered.oldestAge();
	}

	/**
	 * Send a read of all that a node contains, once, whatever becomes of it. That may be
	 * more than the client accepts, and cost the connection.
	 */
	<T> void readAll(String path, Operation<T> operation, Consumer<Response<T>> answer) {
		send(operation, false, (response) -> {
			if (!response.is(Meaning.DISCONNECTED)) {
				this.strikes.clear(path);
			}
			else if (response.isOldestLost()) {
				this.strikes.add(path);
			}
			else {
				this.strikes.undecided(path);
			}
			answer.accept(response);
		});
	}

	/**
	 * Send an operation once, whatever becomes of it.
	 * @param leaderBound whether the leader has to execute it before it is answered
	 */
	<T> void send(Operation<T> operation, boolean leaderBound, Consumer<Response<T>> answer) {
		long sent = this.platform.nanoTime();
		long sentWall = this.platform.currentTimeMillis();
		dispatch(operation, (code, result) -> this.loop.executeHere(() -> {
			note(code, leaderBound, sent, sentWall);
			boolean oldestLost = noteConnection(code);
			if (!this.session.hasEnded()) {
				answer.accept(new Response<>(code, result, oldestLost));
			}
		}));
	}

	/**
	 * Send an operation and remember it until it is answered.
	 */
	private <T> void dispatch(Operation<T> operation, Reply<T> reply) {
		this.loop.pass("send");
		Unanswered.Ticket ticket = this.unanswered.sent();
		try {
			operation.send(this.session.nodeSession(), (code, result) -> {
				this.unanswered.answered(ticket);
				this.session.deliver("answer", () -> reply.receive(code, result));
			});
			this.loop.pass("sent");
		}
		catch (Throwable ex) {
			ticket.unsent = true;
			throw ex;
		}
	}

	private void note(ReturnCode code, boolean leaderBound, long sent, long sentWall) {
		if (code.is(Meaning.EXPIRED) || code.is(Meaning.AUTH_FAILED)) {
			this.session.end(this.session.losses().byServer(code.is(Meaning.AUTH_FAILED)));
		}
		else if (leaderBound && code.comesFromLeader()) {
			this.session.lease().acknowledge(sent, sentWall);
		}
	}

	/**
	 * Look whether an answer says that the connection is lost. ZooKeeper answers in
	 * order, so the first one that was lost with a connection that had worked is what the
	 * client was reading.
	 * @return whether this is that first one
	 */
	private boolean noteConnection(ReturnCode code) {
		SessionLiveness liveness = this.session.liveness();
		boolean lost = code.is(Meaning.DISCONNECTED) && liveness.isProven();
		if (lost) {
			liveness.disprove();
		}
		return lost;
	}

}
