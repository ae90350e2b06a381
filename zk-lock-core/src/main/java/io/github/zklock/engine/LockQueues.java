package io.github.zklock.engine;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * All that this process has to do with one lock: one queue for those who want the whole
 * lock, who share a node, and one for each reader, who has a node of its own.
 */
final class LockQueues {

	private final LockPath path;

	private final RegistryContext context;

	private final LockQueue exclusive;

	// In the order in which they came. Locks that nobody reads have none
	private @Nullable Chain<Reader> readers;

	private boolean nodeCreated;

	LockQueues(LockPath path, RegistryContext context) {
		this.path = path;
		this.context = context;
		this.exclusive = LockQueue.exclusive(this);
	}

	LockPath path() {
		return this.path;
	}

	String name() {
		return this.path.name();
	}

	RegistryContext context() {
		return this.context;
	}

	/**
	 * Return the queue that takes a new request.
	 */
	LockQueue queueFor(NodeKind kind) {
		return kind.isShared() ? LockQueue.ofReader(this) : this.exclusive;
	}

	/**
	 * A queue is about to take a request: whoever closes the registry finds it here.
	 */
	void entered(LockQueue queue) {
		if (queue.reader() != null) {
			addReader(queue.reader());
		}
	}

	/**
	 * A queue has nothing to do any more.
	 */
	void left(LockQueue queue) {
		this.context.emptyParents().used(this.path);
		if (queue.reader() != null) {
			removeReader(queue.reader());
		}
	}

	/**
	 * Return whether anybody in this process holds the lock or waits for it. Not to be
	 * asked under a queue's monitor.
	 */
	boolean isInUse() {
		return !readers().isEmpty() || this.exclusive.isInUse();
	}

	/**
	 * A queue has got a node.
	 */
	void created(Session session, boolean rootWasMissing) {
		this.context.access().created(session, this.path, rootWasMissing, isFirstNode());
	}

	private synchronized boolean isFirstNode() {
		boolean first = !this.nodeCreated;
		this.nodeCreated = true;
		return first;
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
		return (asking == this.exclusive) ? readers().stream() : Stream.of(this.exclusive);
	}

	private synchronized void addReader(Reader reader) {
		if (this.readers == null) {
			this.readers = new Chain<>();
		}
		this.readers.add(reader);
	}

	private synchronized void removeReader(Reader reader) {
		if (this.readers != null && this.readers.remove(reader) && this.readers.isEmpty()) {
			this.readers = null;
		}
	}

	private List<LockQueue> readers() {
		List<Reader> present;
		synchronized (this) {
			present = (this.readers != null) ? this.readers.list() : List.of();
		}
		return present.stream().map(Reader::queue).toList();
	}

	/**
	 * Take the lock away from whoever holds it in this process by the given node.
	 */
	void takeAway(String node) {
		this.exclusive.takeAway(node);
		readers().forEach((reader) -> reader.takeAway(node));
	}

	void close() {
		this.exclusive.close();
		readers().forEach(LockQueue::close);
	}

	/**
	 * The place of a queue among the readers of its lock.
	 */
	static final class Reader extends Chain.Link<Reader> {

		private final LockQueue queue;

		Reader(LockQueue queue) {
			this.queue = queue;
		}

		LockQueue queue() {
			return this.queue;
		}

	}

}
