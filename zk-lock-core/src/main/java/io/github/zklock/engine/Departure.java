package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The way of one who leaves an election, or yields.
 *
 * @param candidacy the part that this process takes in the election
 * @param contender the attempt that is to end, if there is one
 * @param left completed when work has ended and listeners have heard of it, within
 * limits, and ZooKeeper has answered, or the connection is gone
 */
record Departure(Candidacy candidacy, @Nullable Contender contender, CompletableFuture<Void> left) {

	/**
	 * Wait until this process has left. An interrupt ends the waits for work and
	 * listeners, and stays set.
	 */
	void await() {
		try {
			Durations.awaitQuietly(this.left, () -> this.candidacy.hurry(this.contender));
		}
		catch (Throwable ex) {
			this.candidacy.troubled();
			throw ex;
		}
	}

}
