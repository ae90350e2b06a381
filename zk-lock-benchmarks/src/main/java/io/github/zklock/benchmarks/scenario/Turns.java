package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Gives turns in a random order, which is another one each time: nobody always comes
 * first after a pause, and nobody always finds what the same one left behind.
 */
final class Turns {

	private Turns() {
	}

	/**
	 * Let all of them do something again and again.
	 * @param turns how often each does it
	 */
	static <T> void take(int turns, List<T> all, Random random, Move<T> move) throws Exception {
		for (int turn = 0; turn < turns; turn++) {
			for (T next : shuffled(all, random)) {
				move.make(next);
			}
		}
	}

	static <T> List<T> shuffled(Collection<T> all, Random random) {
		List<T> order = new ArrayList<>(all);
		Collections.shuffle(order, random);
		return order;
	}

	/**
	 * What one does when it is its turn.
	 */
	interface Move<T> {

		void make(T next) throws Exception;

	}

}
