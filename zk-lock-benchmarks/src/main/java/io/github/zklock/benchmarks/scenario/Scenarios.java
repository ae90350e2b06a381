package io.github.zklock.benchmarks.scenario;

import java.util.List;

/**
 * All scenarios.
 */
public final class Scenarios {

	/**
	 * The name of {@link UncontendedScenario}.
	 */
	public static final String UNCONTENDED = "uncontended";

	/**
	 * The name of {@link LongWayScenario}.
	 */
	public static final String LONG_WAY = "long-way";

	/**
	 * The name of {@link PacketsScenario}.
	 */
	public static final String PACKETS = "packets";

	/**
	 * The name of {@link ManyLocksScenario}.
	 */
	public static final String MANY_LOCKS = "many-locks";

	/**
	 * The name of {@link HotLockScenario}.
	 */
	public static final String HOT_LOCK = "hot-lock";

	/**
	 * The name of {@link HotSessionsScenario}.
	 */
	public static final String HOT_SESSIONS = "hot-sessions";

	/**
	 * The name of {@link QueueCostsScenario}.
	 */
	public static final String QUEUE_COSTS = "queue-costs";

	/**
	 * The name of {@link LocalReadersScenario}.
	 */
	public static final String LOCAL_READERS = "local-readers";

	/**
	 * The name of {@link OutageScenario}.
	 */
	public static final String OUTAGE = "outage";

	/**
	 * The name of {@link MemoryScenario}.
	 */
	public static final String MEMORY = "memory";

	private Scenarios() {
	}

	/**
	 * Return all scenarios.
	 * @return the scenarios, in the order of the report
	 */
	public static List<Scenario> all() {
		return List.of(new PacketsScenario(), new UncontendedScenario(), new LongWayScenario(), new ManyLocksScenario(),
				new HotLockScenario(), new HotSessionsScenario(), new QueueCostsScenario(), new QueueDrainScenario(),
				new ReadMostlyScenario(), new LocalReadersScenario(), new RefusalScenario(), new LeaderLeaveScenario(),
				new LeaderCrashScenario(), new OutageScenario(), new MemoryScenario());
	}

}
