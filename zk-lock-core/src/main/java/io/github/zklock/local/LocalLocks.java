package io.github.zklock.local;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.engine.EngineSettings;
import io.github.zklock.engine.LockEngine;
import io.github.zklock.leader.LeaderElection;
import org.jspecify.annotations.Nullable;

/**
 * Locks and elections within one process, for tests and development. They behave as those
 * of ZooKeeper do, but nobody outside of this object knows of them.
 *
 * <pre class="code">
 * OrderService service = new OrderService(new LocalLocks());
 * </pre>
 *
 * Whoever joins an election has won it, because nobody else takes part. A lock or role is
 * lost only by {@link #breakLock(String)} and {@link #close()}. It need not be closed:
 * its threads are daemons, and end when they are idle.
 */
public final class LocalLocks extends LockEngine {

	private static final Duration HAND_OVER_WAIT = Duration.ofSeconds(10);

	// Nobody has to wait for an answer
	private static final Duration LONG = Duration.ofDays(20);

	private final LocalNodes nodes;

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
	 * @param instance the name of this instance, null for one of the host's name and
	 * something random
	 * @param handOverWait how long {@link LeaderElection#leave()} waits for running work
	 * and for listeners, zero not to wait
	 * @param closeWait how long {@link #close()} waits for those who hold a lock
	 * @param listeners hear what happens to locks
	 * @throws IllegalArgumentException if a wait is negative, or the name of the instance
	 * is too long
	 */
	public LocalLocks(@Nullable String instance, Duration handOverWait, Duration closeWait,
			Collection<? extends LockListener> listeners) {
		this(new LocalNodes(), settings(instance, handOverWait, closeWait, listeners));
	}

	private LocalLocks(LocalNodes nodes, EngineSettings settings) {
		super(nodes, settings);
		this.nodes = nodes;
	}

	LocalNodes nodes() {
		return this.nodes;
	}

	private static EngineSettings settings(@Nullable String instance, Duration handOverWait, Duration closeWait,
			Collection<? extends LockListener> listeners) {
		EngineSettings settings = new EngineSettings().handOverWait(handOverWait)
			.closeWait(closeWait)
			.connectTimeout(LONG)
			.answerTimeout(LONG)
			.maxNodeBytes(Integer.MAX_VALUE);
		if (instance != null) {
			settings.instance(instance);
		}
		listeners.forEach(settings::listener);
		return settings;
	}

}
