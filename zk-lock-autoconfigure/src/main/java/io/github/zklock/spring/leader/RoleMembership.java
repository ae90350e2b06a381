package io.github.zklock.spring.leader;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Leadership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part that the application takes in the election of one role. Whoever wants to join
 * while it leaves joins afterwards: the election sees to that.
 */
final class RoleMembership {

	private static final Logger logger = LoggerFactory.getLogger(RoleMembership.class);

	private final String role;

	private final Supplier<? extends LockRegistry> registry;

	private final LeadershipEvents events;

	private final BooleanSupplier wanted;

	private final Leadership leadership;

	private volatile @Nullable LeaderElection election;

	private boolean joined;

	private CompletableFuture<Void> left = CompletableFuture.completedFuture(null);

	/**
	 * Create a membership that takes no part yet.
	 * @param role the role
	 * @param registry gives the role's election
	 * @param events tells the application
	 * @param wanted whether the application wants to take part; {@link #update()} is
	 * called after each change
	 */
	RoleMembership(String role, Supplier<? extends LockRegistry> registry, LeadershipEvents events,
			BooleanSupplier wanted) {
		this.role = role;
		this.registry = registry;
		this.events = events;
		this.wanted = wanted;
		this.leadership = new LazyLeadership(role, this::election);
	}

	Leadership leadership() {
		return this.leadership;
	}

	/**
	 * Return the election. For the first time not under a monitor: to make the bean of
	 * the registry may need locks of the application context.
	 */
	private LeaderElection election() {
		LeaderElection present = this.election;
		if (present == null) {
			present = this.registry.get().election(this.role);
			this.election = present;
		}
		return present;
	}

	/**
	 * Join or leave, if that is what the application wants by now. Does not wait.
	 */
	void update() {
		if (this.wanted.getAsBoolean()) {
			join(election());
		}
		else if (isAtWork() && isJoined()) {
			leaveIfJoinedByOtherThread();
		}
		else {
			leaveIfJoined();
		}
	}

	/**
	 * Leave so that the work of the current thread is waited for: that of the thread that
	 * leaves is not. No new work begins from then on.
	 */
	private void leaveIfJoinedByOtherThread() {
		Thread leaving = new Thread(this::leaveIfJoined, "zk-lock-leaving-" + LockNames.shown(this.role));
		leaving.setDaemon(true);
		try {
			leaving.start();
		}
		catch (OutOfMemoryError ex) {
			logger.warn("There is no thread to leave role '{}', so work of this one may overlap with the next leader",
					LockNames.shown(this.role), ex);
			leaveIfJoined();
			return;
		}
		joinQuietly(leaving);
	}

	private static void joinQuietly(Thread thread) {
		boolean interrupted = false;
		while (thread.isAlive()) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Return whether the current thread does something as the leader.
	 */
	private boolean isAtWork() {
		LeaderElection present = this.election;
		return present != null && present.leadership().current().isPresent();
	}

	private synchronized boolean isJoined() {
		return this.joined;
	}

	/**
	 * Join, if that is still wanted. Otherwise somebody else is about to update it.
	 */
	private synchronized void join(LeaderElection joining) {
		if (!this.joined && this.wanted.getAsBoolean()) {
			joining.addListener(this.events);
			joining.join();
			this.joined = true;
		}
	}

	private synchronized void leaveIfJoined() {
		if (this.joined && !this.wanted.getAsBoolean()) {
			this.joined = false;
			this.left = leaveAsync();
		}
	}

	/**
	 * Leave, if that is what the application wants by now, for a thread that may wait for
	 * it: its own work, and the listener that it calls, are not waited for, also if the
	 * application is leaving already.
	 * @return completed when it has left
	 */
	synchronized CompletableFuture<Void> leave() {
		if (isLeaving()) {
			this.left = leaveAsync();
		}
		leaveIfJoined();
		return this.left;
	}

	private CompletableFuture<Void> leaveAsync() {
		try {
			return election().leaveAsync();
		}
		catch (RuntimeException ex) {
			logger.warn("Leaving role '{}' has failed", LockNames.shown(this.role), ex);
			return CompletableFuture.completedFuture(null);
		}
	}

	/**
	 * If the application is leaving, wait no longer for work and listeners, but until
	 * ZooKeeper has answered. Whoever wants to join meanwhile has to wait: it would be
	 * made to leave what it has joined.
	 */
	synchronized void hurry() {
		if (isLeaving()) {
			// Whoever is interrupted leaves without waiting
			Thread.currentThread().interrupt();
			try {
				election().leave();
			}
			finally {
				Thread.interrupted();
			}
		}
	}

	private boolean isLeaving() {
		return !this.joined && !this.left.isDone();
	}

}
