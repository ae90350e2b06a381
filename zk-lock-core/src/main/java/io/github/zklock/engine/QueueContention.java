package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * How a {@link LockQueue} contends for its lock: by the node of one {@link Contender},
 * or, for requests that do not want to wait, by a {@link ZeroWaitProbe} that looks first.
 * Under the monitor of the queue. In one class, since a node, a probe and a pause between
 * nodes exclude each other.
 */
final class QueueContention {

	private final LockQueue queue;

	private @Nullable Contender contender;

	// Somebody here has held the lock by the node of the contender
	private boolean used;

	private @Nullable ZeroWaitProbe probe;

	// Since the lock was granted last
	private @Nullable VanishedNodes vanished;

	private boolean pausing;

	QueueContention(LockQueue queue) {
		this.queue = queue;
	}

	private SessionKeeper keeper() {
		return this.queue.context().keeper();
	}

	@Nullable Contender contender() {
		return this.contender;
	}

	/**
	 * Return whether the lock was held here by the present node before.
	 */
	boolean wasUsed() {
		return this.used;
	}

	/**
	 * The lock is held by the present node.
	 */
	void used() {
		this.used = true;
		this.vanished = null;
	}

	/**
	 * Return whether others are known to come first.
	 */
	boolean isBehindOthers() {
		Contender present = this.contender;
		return present != null && present.isBehindOthers() && present.session().lease().currentTerm() != Lease.NONE;
	}

	// Beginning

	/**
	 * Take the next step after something has ended.
	 */
	void contendOrRelease() {
		contendOrRelease(null);
	}

	private void contendOrRelease(@Nullable Contender replaced) {
		if (this.queue.waiters().isEmpty()) {
			releaseIfIdle();
		}
		else {
			contend(replaced);
		}
	}

	/**
	 * Take the next step for those who wait.
	 */
	void contend() {
		contend(null);
	}

	/**
	 * Take the next step for those who wait.
	 * @param replaced an attempt whose delete goes out in the same flight
	 */
	private void contend(@Nullable Contender replaced) {
		if (this.probe != null || this.pausing) {
			return;
		}
		Contender present = this.contender;
		if (present == null) {
			Session session = keeper().connectedSession();
			if (session != null) {
				start(session, replaced);
			}
		}
		else if (present.isBroken()) {
			requeue(present);
		}
		else {
			present.adopt();
			present.askForRivals();
		}
	}

	private void start(Session session, @Nullable Contender replaced) {
		RegistryContext context = this.queue.context();
		Request next = this.queue.waiters().first();
		Contender started = new Contender(context.settings(), session, next.kind(), this.queue,
				context.nodeData().of(next.caller()));
		this.contender = started;
		this.used = false;
		started.start(replaced);
	}

	/**
	 * Take the next step for requests of which none wants to wait: look whether the lock
	 * is free before anything is written.
	 */
	void contendWithoutWaiting() {
		if (this.contender != null || this.probe != null) {
			contend();
			return;
		}
		Session session = keeper().connectedSession();
		if (session != null) {
			ZeroWaitProbe sent = new ZeroWaitProbe(this.queue, session);
			sent.send();
			this.probe = sent;
		}
	}

	/**
	 * A probe is answered.
	 * @return false if its answer does not count any more
	 */
	boolean endProbe(ZeroWaitProbe answered) {
		boolean current = this.probe == answered;
		if (current) {
			this.probe = null;
		}
		return current;
	}

	// Ending

	/**
	 * Give the node up and, in the same flight, queue a new one for those who wait.
	 * @return completed when ZooKeeper has answered
	 */
	CompletableFuture<Void> requeue(Contender present) {
		this.queue.pass("start over");
		present.adopt();
		CompletableFuture<Void> deleted = present.release();
		this.contender = null;
		contendOrRelease(present);
		return deleted;
	}

	/**
	 * Nobody waits: release the node if nobody holds the lock by it.
	 */
	void releaseIfIdle() {
		if (this.queue.grants().isHolding()) {
			return;
		}
		Contender present = this.contender;
		if (present != null && (keeper().isClosed() ? present.abandon() : present.abandonWhenConnected())) {
			this.contender = null;
		}
		if (this.contender == null) {
			this.probe = null;
			this.queue.idle();
		}
	}

	/**
	 * The attempt has ended.
	 */
	void contenderEnded() {
		this.contender = null;
	}

	/**
	 * Somebody has deleted the node. If that happens again and again, there is a pause
	 * before the next one.
	 */
	void pauseIfRepeated() {
		VanishedNodes counted = this.vanished;
		if (counted == null) {
			counted = new VanishedNodes(this.queue.loop().platform(), this.queue.path());
			this.vanished = counted;
		}
		long pause = counted.pause();
		if (pause > 0) {
			this.queue.loop().schedule(this::endPause, pause);
			this.pausing = true;
		}
	}

	private void endPause() {
		synchronized (this.queue) {
			this.pausing = false;
			contendOrRelease();
		}
	}

	// The session's events

	void disconnected() {
		if (this.contender != null) {
			this.contender.node().disconnected();
		}
		this.probe = null;
	}

	/**
	 * A session has ended, and what was asked in it.
	 * @return whether the attempt has ended with it
	 */
	boolean sessionEnded(Session session) {
		this.probe = null;
		Contender present = this.contender;
		if (present == null || present.session() != session) {
			return false;
		}
		present.end();
		this.contender = null;
		return true;
	}

	/**
	 * After an error: forget what is over, and wait for nothing that may never come.
	 */
	void repair() {
		this.pausing = false;
		if (this.probe != null && this.probe.isOver()) {
			this.probe = null;
		}
		Contender present = this.contender;
		if (present != null && present.isOver()) {
			present.end();
			this.contender = null;
		}
	}

}
