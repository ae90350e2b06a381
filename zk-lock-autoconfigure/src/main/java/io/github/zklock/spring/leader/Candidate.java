package io.github.zklock.spring.leader;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.zklock.LockNames;
import io.github.zklock.leader.LeaderElection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part that the application takes in one role. To leave may take long, so that is
 * done by a thread of its own, and whoever wants to join meanwhile joins afterwards.
 */
final class Candidate {

	private static final Logger logger = LoggerFactory.getLogger(Candidate.class);

	private final String role;

	private final Supplier<LeaderElection> election;

	private final LeadershipEvents events;

	private final BooleanSupplier wanted;

	private final RoleLeadership leadership;

	private boolean joined;

	private @Nullable Thread leaver;

	private boolean listenerLeaving;

	private volatile boolean impatient;

	/**
	 * Create a candidate that takes no part yet.
	 * @param role the role
	 * @param election gives the role's election
	 * @param events tells the application
	 * @param wanted whether the application wants to take part; {@link #settle()} is
	 * called after each change
	 */
	Candidate(String role, Supplier<LeaderElection> election, LeadershipEvents events, BooleanSupplier wanted) {
		this.role = role;
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
		if (this.leaver != null || this.listenerLeaving || join == this.joined) {
			return;
		}
		if (!join) {
			this.leaver = startThread("zk-lock-leaving-" + LockNames.shown(this.role), this::leave);
		}
		else if (joining != null) {
			joining.addListener(this.events);
			joining.join();
			this.joined = true;
		}
	}

	private void leave() {
		LeaderElection leaving = this.election.get();
		if (leaving.leadership().isLeader()) {
			this.events.expectRevocation();
		}
		try {
			leaving.leave();
		}
		catch (RuntimeException ex) {
			logger.warn("Leaving role '{}' has failed", LockNames.shown(this.role), ex);
		}
		finally {
			left();
		}
		try {
			settle();
		}
		catch (RuntimeException ex) {
			logger.error("Role '{}' cannot be joined again", LockNames.shown(this.role), ex);
		}
	}

	private synchronized void left() {
		this.joined = false;
		this.leaver = null;
		notifyAll();
	}

	/**
	 * The current thread is about to make the application leave: what it is doing is not
	 * waited for.
	 */
	void resign() {
		this.leadership.resign();
		this.impatient = this.events.arePublishedBy(Thread.currentThread());
	}

	/**
	 * If the current thread is that of a listener which makes the application leave, have
	 * it leave, too: an election does not wait for those listeners that do.
	 */
	void leaveAsListener() {
		if (this.events.arePublishedBy(Thread.currentThread()) && setListenerLeaving(true)) {
			try {
				this.election.get().leave();
			}
			finally {
				setListenerLeaving(false);
			}
			settle();
		}
	}

	/**
	 * Return whether the application is leaving.
	 */
	private synchronized boolean setListenerLeaving(boolean leaving) {
		this.listenerLeaving = leaving && this.leaver != null;
		return this.listenerLeaving;
	}

	/**
	 * Return whether the application has joined, and has not left yet.
	 */
	synchronized boolean isTakingPart() {
		return this.joined;
	}

	/**
	 * Wait until the application has left and has heard of it.
	 * @return false if interrupted before
	 */
	boolean awaitLeft() {
		try {
			synchronized (this) {
				while (this.leaver != null) {
					wait();
				}
			}
			if (!this.impatient) {
				this.events.awaitRevoked();
			}
			return true;
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

	/**
	 * Wait no longer for the work of a leader.
	 */
	synchronized void hurry() {
		if (this.leaver != null) {
			this.leaver.interrupt();
		}
	}

	static Thread startThread(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

}
