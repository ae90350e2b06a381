package io.github.zklock.engine;

import io.github.zklock.engine.ReturnCode.Meaning;

/**
 * Finds out whether the connection of a session works, by heartbeats, and ends a session
 * that cannot come back. By the event loop only.
 */
final class SessionLiveness {

	private final Session session;

	private final Platform platform;

	// Whether a heartbeat was answered on this connection
	private boolean proven;

	private long unprovenSince;

	private long connectedSince;

	SessionLiveness(Session session, Platform platform) {
		this.session = session;
		this.platform = platform;
	}

	/**
	 * There is a new connection.
	 * @param first whether it is the session's first one
	 */
	void connected(boolean first) {
		if (first) {
			this.unprovenSince = this.platform.nanoTime();
		}
		this.connectedSince = this.platform.nanoTime();
	}

	/**
	 * Ask the leader for a sign of life, even if earlier heartbeats are unanswered: a
	 * slow answer must not delay the next heartbeat.
	 */
	void heartbeat() {
		if (this.session.isConnected()) {
			this.session.write(Operation.sync("/"), (response) -> {
				if (response.is(Meaning.OK)) {
					this.session.heartbeatAnswered();
				}
			});
		}
	}

	/**
	 * Return whether a heartbeat was answered on this connection.
	 */
	boolean isProven() {
		return this.proven;
	}

	/**
	 * A heartbeat was answered.
	 * @return whether it is the first one on this connection
	 */
	boolean prove() {
		boolean first = !this.proven;
		this.proven = true;
		return first;
	}

	/**
	 * The connection is lost.
	 */
	void disprove() {
		if (this.proven) {
			this.proven = false;
			this.unprovenSince = this.platform.nanoTime();
		}
	}

	/**
	 * End the session if it cannot come back. No callback for a whole timeout means that
	 * ZooKeeper's event thread has ended, or that an answer was lost; after one and a
	 * half without a usable connection a new session is the better one. The server may
	 * refuse this one for ever, and if it keeps it, {@link OldNodes} deletes its nodes.
	 */
	void check() {
		if (this.session.isLocal()) {
			return;
		}
		this.session.lease().check();
		long now = this.platform.nanoTime();
		long nanos = this.session.timeout().toNanos();
		long unansweredFor = Math.min(this.session.oldestUnanswered(), now - this.connectedSince);
		if (this.session.isConnected() && unansweredFor > nanos) {
			giveUp("has not called back", unansweredFor);
		}
		else if (this.session.hasBegun() && !this.proven && now - this.unprovenSince > nanos * 3 / 2) {
			giveUp("has had no usable connection", now - this.unprovenSince);
		}
	}

	private void giveUp(String why, long nanos) {
		this.session.end(this.session.losses().givenUp(why, nanos));
	}

}
