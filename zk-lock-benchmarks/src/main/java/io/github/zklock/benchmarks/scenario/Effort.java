package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

/**
 * How much to do.
 *
 * @param tick the servers' tick, on which the shortest session timeout depends
 * @param warmUpCycles about how many cycles of everybody before anything is measured
 * @param warmUp how long to run before measuring, each time
 * @param window how long to measure, each time
 * @param turnWarmUp how long to run before measuring in a turn
 * @param turnWindow how long to measure in a turn
 * @param near turns of one cycle
 * @param far turns of one cycle that takes long
 * @param sessionTurns turns of several sessions
 * @param cycles how many cycles to count packets of
 * @param lockThreads numbers of threads with a lock each
 * @param hotThreads numbers of threads on one lock
 * @param hotSessions numbers of sessions on one lock
 * @param queues numbers of waiting sessions
 * @param longestHerd longest queue of the herd lock, whose costs are quadratic
 * @param localReaders numbers of waiting readers of one session
 * @param handOvers how often leaders leave
 * @param heldLocks how many locks to hold at once
 * @param waiters how many threads wait at once
 * @param idleNames how many names to use once
 */
public record Effort(Duration tick, int warmUpCycles, Duration warmUp, Duration window, Duration turnWarmUp,
		Duration turnWindow, Blocks near, Blocks far, Blocks sessionTurns, int cycles, List<Integer> lockThreads,
		List<Integer> hotThreads, List<Integer> hotSessions, List<Integer> queues, int longestHerd,
		List<Integer> localReaders, int handOvers, int heldLocks, int waiters, int idleNames) {

	/**
	 * For results.
	 */
	public static final Effort FULL = new Effort(Duration.ofSeconds(1), 40_000, Duration.ofMillis(500),
			Duration.ofSeconds(2), Duration.ofMillis(50), Duration.ofMillis(200), new Blocks(8, 250), new Blocks(8, 5),
			new Blocks(4, 4), 100, List.of(1, 4, 16, 64), List.of(1, 8, 32, 128), List.of(2, 8, 32),
			List.of(10, 100, 300, 1000), 300, List.of(500, 5_000), 20, 10_000, 1_000, 20_000);

	/**
	 * To see whether everything still runs.
	 */
	public static final Effort QUICK = new Effort(Duration.ofMillis(500), 1, Duration.ofMillis(10),
			Duration.ofMillis(40), Duration.ofMillis(10), Duration.ofMillis(40), new Blocks(2, 3), new Blocks(1, 2),
			new Blocks(1, 2), 1, List.of(16), List.of(32), List.of(8), List.of(10), 10, List.of(20), 1, 50, 10, 50);

	/**
	 * Return the shortest session timeout that is sensible with this tick.
	 * @return four ticks
	 */
	public Duration shortestSessionTimeout() {
		return this.tick.multipliedBy(4);
	}

	/**
	 * How many turns a round has.
	 *
	 * @param count how many blocks, each with new sessions
	 * @param turns how many turns of everybody in each
	 */
	public record Blocks(int count, int turns) {

	}

}
