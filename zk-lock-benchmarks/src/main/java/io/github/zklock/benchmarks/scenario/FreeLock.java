package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.function.LongConsumer;

import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * A lock that nobody else wants: a turn is one cycle, compared by its microseconds.
 */
final class FreeLock implements Player {

	/**
	 * Time for whatever the cycle before has left to do, on both sides.
	 */
	private static final Duration PAUSE = Duration.ofNanos(200_000);

	private final Action cycle;

	FreeLock(MeasuredLock lock) {
		this.cycle = Action.cycle(lock);
	}

	/**
	 * Take the lock and release it, without measuring anything.
	 */
	void cycle() throws Exception {
		this.cycle.run();
	}

	@Override
	public double turn(LongConsumer times) throws Exception {
		pause();
		long start = System.nanoTime();
		this.cycle.run();
		long nanos = System.nanoTime() - start;
		times.accept(nanos);
		return nanos / 1_000.0;
	}

	/**
	 * Do nothing, without giving up the processor: it would take longer for some than for
	 * others to come back.
	 */
	private static void pause() {
		long start = System.nanoTime();
		while (System.nanoTime() - start < PAUSE.toNanos()) {
			Thread.onSpinWait();
		}
	}

}
