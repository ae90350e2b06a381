package io.github.zklock.benchmarks.scenario;

import java.util.function.LongConsumer;

/**
 * One contestant, connected, that waits for its turns.
 */
interface Player {

	/**
	 * Take a turn.
	 * @param times takes the nanoseconds of each cycle
	 * @return the number of this turn by which contestants are compared
	 */
	double turn(LongConsumer times) throws Exception;

}
