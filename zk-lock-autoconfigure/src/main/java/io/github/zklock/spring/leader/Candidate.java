package io.github.zklock.spring.leader;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.zklock.LockNames;
import io.github.zklock.leader.LeaderElection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part that the application takes in one role. Whoever wants to join while it leaves
 * joins afterwards: the election sees to that.
 */
final class Candidate {

	private static final Logger logger = LoggerFactory.getLogger(Candidate.class);

	private final Supplier<LeaderElection> election;

	private final LeadershipEvents events;

	private final BooleanSupplier wanted;

	private final RoleLeadership leadership;

	private boolean joined;

	private CompletableFuture<Void> left = CompletableFuture.completedFuture(null);

	/**
	 * Create a candidate that takes no part yet.
	 * @param role the role
	 * @param election gives the role's election
	 * @param events tells the application
	 * @param wanted whether the application wants to take part; {@link #settle()} is
	 * called after each change
	 */
	Candidate(String role, Supplier<LeaderElection> election, LeadershipEvents events, BooleanSupplier wanted) {
		this.election = election;
		this.events = events;
		this.wanted = wanted;
		this.leadership = new RoleLeadership(role, () -> election.get().leadership());
	}

	RoleLeadership leadership() {
		return this.leadership;
	}

	/**
	 * Join or leave, if that is what the application wants by now. Does not wait.
	 */
	void settle() {
		// without the monitor, since this may be when the registry is made
		settle(this.wanted.getAsBoolean() ? this.election.get() : null);
	}

	/**
	 * Join or leave.
	 * @param joining the election to join, null if that was not wanted. If it is wanted
	 * since, somebody else is about to settle it.
	 */
	private synchronized void settle(@Nullable LeaderElection joining) {
		boolean join = this.wanted.getAsBoolean();
		if (join == this.joined) {
			return;
		}
		if (!join) {
			this.joined = false;
			this.left = leave();
		}
		else if (joining != null) {
			joining.addListener(this.events);
			joining.join();
			this.joined = true;
		}
	}

	private CompletableFuture<Void> leave() {
		try {
			return this.election.get().leaveAsync();
		}
		catch (RuntimeException ex) {
			logger.warn("Leaving role '{}' has failed", LockNames.shown(this.leadership.role()), ex);
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * The current thread is about to make the application leave: what it is doing is not
	 * waited for.
	 */
	void resign() {
		this.leadership.resign();
	}

	/**
	 * Return what is completed when the application has left, if it is leaving. From now
	 * on an election does not wait for the current thread, if that is a listener's.
	 */
	synchronized CompletableFuture<Void> left() {
		if (!this.joined && !this.left.isDone()) {
			this.left = leave();
		}
		return this.left;
	}

	/**
	 * If the application is leaving, wait no longer for the work of a leader. Under the
	 * monitor, or it might leave what somebody has joined again.
	 */
	synchronized void hurry() {
		if (!this.joined && !this.left.isDone()) {
			// Whoever is interrupted leaves without waiting
			Thread.currentThread().interrupt();
			this.election.get().leave();
			Thread.interrupted();
		}
	}

}
