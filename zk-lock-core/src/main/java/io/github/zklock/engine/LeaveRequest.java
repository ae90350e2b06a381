package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A caller's request to leave an election, or to yield.
 *
 * @param candidacy the part that this process takes in the election
 * @param contender the attempt that is to end, if there is one
 * @param left completed when tasks have ended and listeners were notified, within limits,
 * and ZooKeeper has answered, or the connection is gone
 */
record LeaveRequest(Candidacy candidacy, @Nullable Contender contender, CompletableFuture<Void> left) {

	/**
	 * Wait until this process has left. An interrupt ends the waits for tasks and
	 * listeners, and stays set.
	 */
	void await() {
		try {
			Futures.awaitQuietly(this.candidacy.platform(), this.left,
					() -> this.candidacy.departure().stopWaiting(this.contender));
		}
		catch (Throwable ex) {
			this.candidacy.troubled();
			throw ex;
		}
	}

}
