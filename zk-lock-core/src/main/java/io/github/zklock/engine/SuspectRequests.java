package io.github.zklock.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Sends requests of one session that may cost the connection, since their answers may be
 * longer than the client accepts: one at a time, and only when every request that was
 * sent before is answered.
 */
final class SuspectRequests {

	private final Session session;

	// by the event loop only
	private final Queue<Consumer<Runnable>> waiting = new ArrayDeque<>();

	private boolean underWay;

	SuspectRequests(Session session) {
		this.session = session;
	}

	/**
	 * Send a request alone. By any thread.
	 * @param sender sends it, and runs what it is given when that is answered
	 */
	void sendAlone(Consumer<Runnable> sender) {
		this.session.loop().execute(() -> {
			if (!this.session.hasEnded()) {
				this.waiting.add(sender);
				sendNext();
			}
		});
	}

	/**
	 * Send the next request, unless one is under way or the connection is not known to
	 * work. By the event loop only.
	 */
	void sendNext() {
		if (this.session.hasEnded() || !this.session.liveness().isProven() || this.underWay || this.waiting.isEmpty()) {
			return;
		}
		this.underWay = true;
		this.session.write(Operation.sync("/"), (response) -> {
			Consumer<Runnable> next = response.is(Meaning.OK) ? this.waiting.poll() : null;
			this.underWay = next != null;
			if (next != null) {
				next.accept(this::answered);
			}
			else if (!response.is(Meaning.DISCONNECTED)) {
				this.session.loop().backOff(this::sendNext);
			}
		});
	}

	private void answered() {
		this.underWay = false;
		sendNext();
	}

	/**
	 * The connection is lost, and with it the request that was under way. By the event
	 * loop only.
	 */
	void disconnected() {
		this.underWay = false;
	}

	/**
	 * Forget all requests. By the event loop only.
	 */
	void clear() {
		this.waiting.clear();
	}

}
