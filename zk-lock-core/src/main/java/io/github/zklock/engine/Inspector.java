package io.github.zklock.engine;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;

/**
 * Shows who has locks and roles, and breaks locks.
 */
final class Inspector implements LockInspector {

	private final SessionKeeper keeper;

	private final NodePaths paths;

	private final QueueCache queues;

	private final Registry registry;

	private final QueueReader reader;

	Inspector(SessionKeeper keeper, NodePaths paths, QueueCache queues, Registry registry, QueueReader reader) {
		this.keeper = keeper;
		this.paths = paths;
		this.queues = queues;
		this.registry = registry;
		this.reader = reader;
	}

	@Override
	public List<LockContender> queue(String name) {
		return this.reader.read(this.paths.ofLock(name));
	}

	@Override
	public List<LockContender> queueOfRole(String role) {
		return this.reader.read(this.paths.ofRole(role));
	}

	@Override
	public List<LockContender> queueOfSegment(String segment) {
		return this.reader.read(this.paths.ofLockSegment(segment));
	}

	@Override
	public List<LockContender> queueOfRoleSegment(String segment) {
		return this.reader.read(this.paths.ofRoleSegment(segment));
	}

	@Override
	public List<LocalLock> held() {
		ClockReading now = now();
		return oldestFirst(lockQueues().map((queue) -> queue.held(now)).flatMap(Optional::stream));
	}

	@Override
	public List<LocalLock> waiting() {
		ClockReading now = now();
		return oldestFirst(lockQueues().flatMap((queue) -> queue.awaited(now).stream()));
	}

	private ClockReading now() {
		return ClockReading.of(this.keeper.loop().platform());
	}

	private Stream<LockQueue> lockQueues() {
		return this.keeper.dependents().stream().filter(LockQueue.class::isInstance).map(LockQueue.class::cast);
	}

	private static List<LocalLock> oldestFirst(Stream<LocalLock> locks) {
		return locks.sorted(Comparator.comparing(LocalLock::since)).toList();
	}

	@Override
	public boolean breakLock(String name) {
		LockQueues broken = this.registry.queues(name);
		return breakLock(broken.path(), broken::takeAway);
	}

	@Override
	public boolean breakSegment(String segment) {
		LockPath path = this.paths.ofLockSegment(segment);
		return breakLock(path,
				(node) -> this.queues.all()
					.filter((known) -> known.path().parent().equals(path.parent()))
					.forEach((known) -> known.takeAway(node)));
	}

	private boolean breakLock(LockPath path, Consumer<String> takeAway) {
		List<LockContender> holders = this.reader.readFront(path);
		for (LockContender holder : holders) {
			if (holder.origin() == LockContender.Origin.SELF) {
				takeAway(holder.node(), takeAway);
			}
			this.reader.delete(path, holder.node());
		}
		return !holders.isEmpty();
	}

	private void takeAway(String node, Consumer<String> takeAway) {
		EventLoop loop = this.keeper.loop();
		try {
			takeAway.accept(node);
		}
		catch (Throwable ex) {
			loop.troubled = true;
			throw ex;
		}
	}

}
