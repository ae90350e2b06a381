package io.github.zklock.autoconfigure;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;

/**
 * A registry that outlives the runs of the application. So do the locks and elections
 * that it gives.
 */
final class RestartableRegistry implements LockRegistry {

	private final Runs<?> runs;

	private final Map<String, RestartableElection> elections = new ConcurrentHashMap<>();

	RestartableRegistry(Runs<?> runs) {
		this.runs = runs;
	}

	@Override
	public NamedLock lock(String name) {
		return new RestartableLock(this.runs, requireValid(name), RestartableLock.Kind.LOCK);
	}

	@Override
	public NamedLock readLock(String name) {
		return new RestartableLock(this.runs, requireValid(name), RestartableLock.Kind.READ);
	}

	@Override
	public NamedLock writeLock(String name) {
		return new RestartableLock(this.runs, requireValid(name), RestartableLock.Kind.WRITE);
	}

	@Override
	public LeaderElection election(String role) {
		return this.elections.computeIfAbsent(requireValid(role), (key) -> new RestartableElection(this.runs, key));
	}

	/**
	 * Check a name here, since there may be no run to do it.
	 */
	private static String requireValid(String name) {
		Objects.requireNonNull(name, "The name of a lock or role must not be null");
		return LockNames.requireValid(name);
	}

}
