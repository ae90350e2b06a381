package io.github.zklock.engine;

import java.time.Duration;

/**
 * What tests with random choices have in common. {@code -Dzklock.seed=...} repeats the
 * choices of one that has failed, {@code -Dzklock.seconds=...} says how long those last
 * that run with {@code -Psoak}.
 */
final class Seeded {

	private Seeded() {
	}

	interface SeededTest {

		void run(long seed) throws Exception;

	}

	/**
	 * Run a test whose failure names its seed.
	 */
	static void run(SeededTest test) throws Exception {
		long seed = Long.getLong("zklock.seed", System.nanoTime());
		// A process that dies or hangs does not get to the end
		System.out.println("-Dzklock.seed=" + seed);
		try {
			test.run(seed);
		}
		catch (Exception | AssertionError ex) {
			throw new AssertionError("-Dzklock.seed=%d: %s".formatted(seed, ex), ex);
		}
	}

	/**
	 * Return how long a test lasts that takes as long as there is time.
	 */
	static Duration soakTime() {
		return Duration.ofSeconds(Long.getLong("zklock.seconds", 600));
	}

}
