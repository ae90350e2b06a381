package io.github.zklock.local;

import java.time.Duration;
import java.util.function.Supplier;

import io.github.zklock.LockListener;
import io.github.zklock.engine.EngineSettings;
import io.github.zklock.engine.LockEngine;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.platform.SystemPlatform;

/**
 * Locks and elections within one process, for tests and development. They behave as those
 * of ZooKeeper do, but nobody outside of this object knows of them.
 *
 * <pre class="code">
 * OrderService service = new OrderService(new LocalLocks());
 * </pre>
 *
 * Whoever joins an election has won it, because nobody else takes part. A lock or role is
 * lost only by {@link #breakLock(String)}, {@link #stop()} and {@link #close()}. It need
 * not be closed: its threads are daemons, and end when they are idle.
 */
public final class LocalLocks extends LockEngine {

	// Nobody has to wait for an answer
	private static final Duration LONG = Duration.ofDays(20);

	private final LocalNodes nodes;

	/**
	 * Create a registry that waits ten seconds for the work of a leader who leaves, and
	 * for nobody when it is stopped or closed, and has no listeners.
	 */
	public LocalLocks() {
		this(builder());
	}

	private LocalLocks(Builder options) {
		this(new LocalNodes(System::currentTimeMillis), options.engine);
	}

	private LocalLocks(LocalNodes nodes, EngineSettings settings) {
		super(nodes, settings);
		this.nodes = nodes;
	}

	/**
	 * Describe a registry.
	 * @return a builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	LocalNodes nodes() {
		return this.nodes;
	}

	/**
	 * Options of a registry.
	 */
	public static final class Builder {

		private final EngineSettings engine = new EngineSettings(new SystemPlatform()).closeWait(Duration.ZERO)
			.connectTimeout(LONG)
			.answerTimeout(LONG)
			.maxNodeBytes(Integer.MAX_VALUE);

		private Builder() {
		}

		/**
		 * Set the name by which the registry is known to {@link LocalLocks#queue(String)}
		 * and in its threads. The default is the name of the host and something random.
		 * @param instance a name that has at most 100 bytes when it is percent-encoded
		 * @return this builder
		 */
		public Builder instance(String instance) {
			this.engine.instance(instance);
			return this;
		}

		/**
		 * Set how long {@link LocalLocks#stop()} and {@link LocalLocks#close()} wait for
		 * those who hold a lock. The default is not to wait.
		 * @param closeWait the longest wait
		 * @return this builder
		 */
		public Builder closeWait(Duration closeWait) {
			this.engine.closeWait(closeWait);
			return this;
		}

		/**
		 * Set how long {@link LeaderElection#leave()} waits for the work of a leader, and
		 * then for the listeners, in all; listeners have half a second at least. The
		 * default is 10 seconds.
		 * @param handOverWait the longest wait, zero to wait neither for work nor for
		 * listeners
		 * @return this builder
		 */
		public Builder handOverWait(Duration handOverWait) {
			this.engine.handOverWait(handOverWait);
			return this;
		}

		/**
		 * Add a listener.
		 * @param listener receives the events of the locks of this registry
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.engine.listener(listener);
			return this;
		}

		/**
		 * Add a listener that is made for its first event, on the thread that notifies
		 * it: for example one that needs this registry.
		 * @param listener makes it
		 * @return this builder
		 */
		public Builder listener(Supplier<? extends LockListener> listener) {
			this.engine.listener(listener);
			return this;
		}

		/**
		 * Build the registry.
		 * @return the registry
		 */
		public LocalLocks build() {
			return new LocalLocks(this);
		}

	}

}
