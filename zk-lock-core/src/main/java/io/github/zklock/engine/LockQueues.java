package io.github.zklock.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * All that this process has to do with one lock: one queue for those who want the whole
 * lock, who share a node, and one for each reader, who has a node of its own.
 */
final class LockQueues {

	private final LockPath path;

	private final Services services;

	private final LockQueue exclusive;

	private final Set<LockQueue> readers = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean nodeCreated = new AtomicBoolean();

	LockQueues(LockPath path, Services services) {
		this.path = path;
		this.services = services;
		this.exclusive = new LockQueue(this, path, services);
	}

	LockPath path() {
		return this.path;
	}

	String name() {
		return this.path.name();
	}

	Services services() {
		return this.services;
	}

	/**
	 * Return the queue that takes a new request.
	 */
	LockQueue queueFor(NodeKind kind) {
		return kind.isShared() ? new LockQueue(this, this.path, this.services) : this.exclusive;
	}

	/**
	 * A queue is about to take a request: whoever closes the registry finds it here.
	 */
	void entered(LockQueue queue) {
		if (queue != this.exclusive) {
			this.readers.add(queue);
		}
	}

	/**
	 * A queue has nothing to do any more.
	 */
	void left(LockQueue queue) {
		this.services.emptyParents().used(this.path);
		this.readers.remove(queue);
	}

	/**
	 * Return whether anybody in this process holds the lock or waits for it. Not to be
	 * asked under a queue's monitor.
	 */
	boolean isInUse() {
		return !this.readers.isEmpty() || this.exclusive.isInUse();
	}

	/**
	 * A queue has got a node.
	 */
	void created(Session session, boolean rootWasMissing) {
		this.services.access().created(session, this.path, rootWasMissing, !this.nodeCreated.getAndSet(true));
	}

	/**
	 * Return whether another queue of this process has, or waits for, what a queue wants.
	 * Not to be asked under a queue's monitor.
	 */
	boolean isTaken(LockQueue asking) {
		return rivals(asking).anyMatch(LockQueue::isWanted);
	}

	/**
	 * Return whether another queue of this process has what a queue wants. Not to be
	 * asked under a queue's monitor.
	 */
	boolean isHeld(LockQueue asking) {
		return rivals(asking).anyMatch(LockQueue::isHeld);
	}

	private Stream<LockQueue> rivals(LockQueue asking) {
		return (asking == this.exclusive) ? this.readers.stream() : Stream.of(this.exclusive);
	}

	/**
	 * Take the lock away from whoever holds it in this process by the given node.
	 */
	void takeAway(String node) {
		this.exclusive.takeAway(node);
		this.readers.forEach((reader) -> reader.takeAway(node));
	}

	void close() {
		this.exclusive.close();
		this.readers.forEach(LockQueue::close);
	}

}
