package io.github.zklock.spring.local;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockInspector;
import io.github.zklock.LockListener;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;
import org.jspecify.annotations.Nullable;

/**
 * Locks and elections of one process, without ZooKeeper. They keep the contract of
 * {@link LockRegistry} among the threads that use this very object, and exclude nobody
 * else. Thread-safe.
 *
 * <p>
 * For internal use by {@code zk.lock.type=local}, and handy in unit tests:
 *
 * <pre class="code">
 * OrderService service = new OrderService(new LocalLocks());
 * </pre>
 *
 * Whoever joins an election has won it, because nobody else takes part. A lock or role is
 * lost only by {@link #breakLock(String)} and {@link #close()}. It need not be closed:
 * its threads are daemons, and end when they are idle.
 */
public final class LocalLocks implements LockRegistry, LockInspector, AutoCloseable {

	private static final Duration HAND_OVER_WAIT = Duration.ofSeconds(10);

	private final Duration handOverWait;

	private final Duration closeWait;

	private final Services services;

	private final LockTable table;

	private final Map<String, LocalElection> elections = new ConcurrentHashMap<>();

	/**
	 * Create a registry that waits ten seconds for the work of a leader who leaves, and
	 * for nobody when it is closed, and has no listeners.
	 */
	public LocalLocks() {
		this(HAND_OVER_WAIT, List.of());
	}

	/**
	 * Create a registry.
	 * @param handOverWait how long {@link LeaderElection#leave()} waits for running work
	 * and for listeners, zero not to wait
	 * @param listeners hear what happens to locks
	 * @throws IllegalArgumentException if the wait is negative
	 */
	public LocalLocks(Duration handOverWait, Collection<? extends LockListener> listeners) {
		this(handOverWait, Duration.ZERO, listeners);
	}

	/**
	 * Create a registry.
	 * @param handOverWait how long {@link LeaderElection#leave()} waits for running work
	 * and for listeners, zero not to wait
	 * @param closeWait how long {@link #close()} waits for those who hold a lock
	 * @param listeners hear what happens to locks
	 * @throws IllegalArgumentException if a wait is negative
	 */
	public LocalLocks(Duration handOverWait, Duration closeWait, Collection<? extends LockListener> listeners) {
		this(null, handOverWait, closeWait, listeners);
	}

	/**
	 * Create a registry.
	 * @param instance the name of this instance, null for a random one
	 * @param handOverWait how long {@link LeaderElection#leave()} waits for running work
	 * @param closeWait how long {@link #close()} waits for those who hold a lock
	 * @param listeners hear what happens to locks
	 * @throws IllegalArgumentException if a wait is negative
	 */
	public LocalLocks(@Nullable String instance, Duration handOverWait, Duration closeWait,
			Collection<? extends LockListener> listeners) {
		this.handOverWait = requireNotNegative("handOverWait", handOverWait);
		this.closeWait = requireNotNegative("closeWait", closeWait);
		this.services = new Services(instance, List.copyOf(listeners));
		this.table = new LockTable(this.services);
	}

	private static Duration requireNotNegative(String name, Duration wait) {
		if (wait.isNegative()) {
			throw new IllegalArgumentException("'%s' must not be negative but was %s".formatted(name, wait));
		}
		return wait;
	}

	@Override
	public NamedLock lock(String name) {
		return writeLock(name);
	}

	@Override
	public NamedLock readLock(String name) {
		return new LocalNamedLock(this.table, requireName(name), LockMode.READ);
	}

	@Override
	public NamedLock writeLock(String name) {
		return new LocalNamedLock(this.table, requireName(name), LockMode.WRITE);
	}

	@Override
	public LeaderElection election(String role) {
		return this.elections.computeIfAbsent(requireName(role),
				(key) -> new LocalElection(key, this.services, this.handOverWait));
	}

	/**
	 * Refuse the names that ZooKeeper would refuse, too.
	 */
	private static String requireName(String name) {
		Objects.requireNonNull(name, "The name of a lock or role must not be null");
		return LockNames.requireValid(name);
	}

	// For people to look at

	@Override
	public List<LockContender> queue(String name) {
		requireOpen(name);
		return this.table.queue(name);
	}

	@Override
	public List<LockContender> queueOfRole(String role) {
		requireOpen(role);
		LocalElection election = this.elections.get(role);
		return (election != null) ? election.queue() : List.of();
	}

	@Override
	public List<LockContender> queueOfSegment(String segment) {
		LockNames.requireSegment(segment);
		requireOpen(segment);
		String name = this.table.nameOf(segment);
		return (name != null) ? queue(name) : List.of();
	}

	@Override
	public List<LockContender> queueOfRoleSegment(String segment) {
		LockNames.requireSegment(segment);
		requireOpen(segment);
		return this.elections.values()
			.stream()
			.filter((election) -> LockNames.segment(election.role()).equals(segment))
			.flatMap((election) -> election.queue().stream())
			.toList();
	}

	@Override
	public List<LocalLock> held() {
		return this.table.held();
	}

	@Override
	public List<LocalLock> waiting() {
		return this.table.waiting();
	}

	/**
	 * Take a lock away from whoever holds it now. The holder is told before the next in
	 * the queue is granted the lock, but may go on working: this breaks mutual exclusion.
	 * @param name the lock's name
	 * @return false if nobody held the lock
	 * @throws LockUnavailableException if the registry is closed
	 */
	@Override
	public boolean breakLock(String name) {
		requireOpen(name);
		return this.table.takeAway(name);
	}

	@Override
	public boolean breakSegment(String segment) {
		LockNames.requireSegment(segment);
		requireOpen(segment);
		String name = this.table.nameOf(segment);
		return name != null && breakLock(name);
	}

	private void requireOpen(String name) {
		requireName(name);
		if (this.services.isClosed()) {
			throw Services.closed("Queue of", name);
		}
	}

	int knownNames() {
		return this.table.knownNames();
	}

	/**
	 * Refuse new requests and those who wait, wait for those who hold a lock, take the
	 * locks and roles from those who still have them, and wait until listeners have heard
	 * of the end of a leadership, as {@link LeaderElection#leave()} does. A second call
	 * has no effect.
	 */
	@Override
	public void close() {
		this.services.refuse();
		this.table.refuseWaiting();
		this.table.awaitHolders(this.closeWait);
		this.table.close();
		this.elections.values().forEach(LocalElection::close);
		this.elections.values().forEach(LocalElection::awaitClosed);
		this.services.close();
	}

}
