package io.github.zklock.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.zklock.LockListener;
import org.jspecify.annotations.Nullable;

/**
 * Options of a registry on any store. What they mean is said where users set them.
 */
public final class EngineSettings {

	private static final int LONGEST_ROOT = 1024;

	String root = "/zk-lock";

	@Nullable String instance;

	Duration sessionTimeout = Duration.ofSeconds(15);

	Duration connectTimeout = Duration.ofSeconds(5);

	Duration serverTick = Duration.ofSeconds(2);

	Duration closeWait = Duration.ofSeconds(10);

	Duration handOverWait = Duration.ofSeconds(10);

	Duration answerTimeout = Duration.ofMillis(500);

	long sequenceLimit = ContenderSettings.DEFAULT_SEQUENCE_LIMIT;

	int maxNodeBytes = OwnNodes.DEFAULT_LIMIT;

	boolean curatorReadWrite;

	boolean createRoot = true;

	final List<Supplier<? extends LockListener>> listeners = new ArrayList<>();

	@Nullable Executor userExecutor;

	// For tests

	Duration parentIdle = Duration.ofMinutes(1);

	Faults faults = Faults.NONE;

	Platform platform;

	/**
	 * Begin with the defaults.
	 * @param platform gives the time and the threads
	 */
	public EngineSettings(Platform platform) {
		this.platform = platform;
	}

	public EngineSettings root(String root) {
		int length = root.getBytes(StandardCharsets.UTF_8).length;
		if (length > LONGEST_ROOT) {
			throw new IllegalArgumentException(
					"'root' must have at most %d bytes but has %d".formatted(LONGEST_ROOT, length));
		}
		this.root = root;
		return this;
	}

	public EngineSettings instance(String instance) {
		this.instance = NodeData.requireInstance(instance);
		return this;
	}

	public EngineSettings sessionTimeout(Duration sessionTimeout) {
		this.sessionTimeout = requirePositive("sessionTimeout", sessionTimeout);
		return this;
	}

	/**
	 * Return the wanted session timeout.
	 * @return the timeout
	 */
	public Duration sessionTimeout() {
		return this.sessionTimeout;
	}

	public EngineSettings connectTimeout(Duration connectTimeout) {
		this.connectTimeout = requirePositive("connectTimeout", connectTimeout);
		return this;
	}

	public EngineSettings serverTick(Duration serverTick) {
		this.serverTick = requirePositive("serverTick", serverTick);
		return this;
	}

	public EngineSettings closeWait(Duration closeWait) {
		this.closeWait = requireNotNegative("closeWait", closeWait);
		return this;
	}

	public EngineSettings handOverWait(Duration handOverWait) {
		this.handOverWait = requireNotNegative("handOverWait", handOverWait);
		return this;
	}

	public EngineSettings answerTimeout(Duration answerTimeout) {
		this.answerTimeout = requirePositive("answerTimeout", answerTimeout);
		return this;
	}

	public EngineSettings sequenceLimit(long sequenceLimit) {
		if (sequenceLimit < 1 || sequenceLimit > ContenderSettings.DEFAULT_SEQUENCE_LIMIT) {
			throw new IllegalArgumentException("'sequenceLimit' must be between 1 and %d but was %d"
				.formatted(ContenderSettings.DEFAULT_SEQUENCE_LIMIT, sequenceLimit));
		}
		this.sequenceLimit = sequenceLimit;
		return this;
	}

	public EngineSettings maxNodeBytes(int maxNodeBytes) {
		if (maxNodeBytes < 1) {
			throw new IllegalArgumentException("'maxNodeBytes' must be positive but was " + maxNodeBytes);
		}
		this.maxNodeBytes = maxNodeBytes;
		return this;
	}

	public EngineSettings curatorReadWrite(boolean curatorReadWrite) {
		this.curatorReadWrite = curatorReadWrite;
		return this;
	}

	public EngineSettings createRoot(boolean createRoot) {
		this.createRoot = createRoot;
		return this;
	}

	public EngineSettings listener(LockListener listener) {
		Objects.requireNonNull(listener, "'listener' must not be null");
		return listener(() -> listener);
	}

	public EngineSettings listener(Supplier<? extends LockListener> listener) {
		this.listeners.add(Objects.requireNonNull(listener, "'listener' must not be null"));
		return this;
	}

	public EngineSettings userExecutor(Executor userExecutor) {
		this.userExecutor = Objects.requireNonNull(userExecutor, "'userExecutor' must not be null");
		return this;
	}

	/**
	 * Set how long a name is unused before the empty parent that this process has made
	 * for it is deleted.
	 */
	EngineSettings parentIdle(Duration parentIdle) {
		this.parentIdle = requirePositive("parentIdle", parentIdle);
		return this;
	}

	/**
	 * Let time and threads be others.
	 */
	EngineSettings platform(Platform platform) {
		this.platform = platform;
		return this;
	}

	/**
	 * Let errors happen.
	 */
	EngineSettings faults(Faults faults) {
		this.faults = faults;
		return this;
	}

	SessionSettings sessions(NodeStore store) {
		return new SessionSettings(store, this.sessionTimeout, this.connectTimeout, this.serverTick, this.maxNodeBytes,
				this.platform);
	}

	ContenderSettings contenders() {
		return new ContenderSettings(this.sequenceLimit, new ContenderIds(this.platform), this.createRoot);
	}

	private static Duration requireNotNegative(String name, Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("'%s' must not be negative but was %s".formatted(name, duration));
		}
		return duration;
	}

	private static Duration requirePositive(String name, Duration duration) {
		if (duration.toMillis() < 1 || duration.toMillis() > Integer.MAX_VALUE) {
			throw new IllegalArgumentException(
					"'%s' must be between a millisecond and 24 days but was %s".formatted(name, duration));
		}
		return duration;
	}

}
