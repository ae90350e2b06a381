package io.github.zklock.engine;

import java.time.Duration;
import java.util.Objects;

import io.github.zklock.LockRegistry;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;

/**
 * Gives locks and elections by their names.
 */
final class Registry implements LockRegistry {

	private final RegistryContext context;

	private final NodePaths paths;

	private final QueueCache queues;

	private final Elections elections;

	private final QueueReader reader;

	private final NodeKind writeKind;

	private final Duration handOverWait;

	Registry(RegistryContext context, NodePaths paths, QueueCache queues, Elections elections, QueueReader reader,
			EngineSettings settings) {
		this.context = context;
		this.paths = paths;
		this.queues = queues;
		this.elections = elections;
		this.reader = reader;
		this.writeKind = settings.curatorReadWrite ? NodeKind.CURATOR_WRITE : NodeKind.LOCK;
		this.handOverWait = settings.handOverWait;
	}

	@Override
	public NamedLock lock(String name) {
		return new LockHandle(queues(name), NodeKind.LOCK);
	}

	@Override
	public NamedLock readLock(String name) {
		return new LockHandle(queues(name), NodeKind.READ);
	}

	@Override
	public NamedLock writeLock(String name) {
		return new LockHandle(queues(name), this.writeKind);
	}

	LockQueues queues(String name) {
		Objects.requireNonNull(name, "A lock's name must not be null");
		return this.queues.get(name, (key) -> new LockQueues(this.paths.ofLock(key), this.context));
	}

	@Override
	public LeaderElection election(String role) {
		Objects.requireNonNull(role, "A role must not be null");
		return this.elections.get(role, (key) -> new ElectionHandle(this.elections, this.paths.ofRole(key),
				this.context, this.reader, this.handOverWait));
	}

}
