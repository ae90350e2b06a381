package io.github.zklock.benchmarks.spring;

import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;

import io.github.zklock.local.LocalLocks;

/**
 * Free locks of {@code zk.lock.type=local}, taken and released by one thread.
 */
final class LocalCosts {

	private static final int CYCLES = 20_000;

	private final int rounds;

	LocalCosts(int rounds) {
		this.rounds = rounds;
	}

	List<Measured> measure() {
		Measured plain = new Measured("`ReentrantLock`");
		Measured one = new Measured("`LocalLocks`, one name");
		Measured many = new Measured("`LocalLocks`, a new name each time");
		ReentrantLock reentrant = new ReentrantLock();
		try (LocalLocks locks = new LocalLocks()) {
			Lock lock = locks.lock("lock");
			for (int round = -this.rounds; round < this.rounds; round++) {
				double first = nanosPerCycle((cycle) -> reentrant);
				double second = nanosPerCycle((cycle) -> lock);
				double third = nanosPerCycle((cycle) -> locks.lock("lock-" + cycle));
				// the first half warms up
				if (round >= 0) {
					plain.add(first);
					one.add(second);
					many.add(third);
				}
			}
		}
		return List.of(plain, one, many);
	}

	private static double nanosPerCycle(IntFunction<Lock> locks) {
		long start = System.nanoTime();
		for (int cycle = 0; cycle < CYCLES; cycle++) {
			Lock lock = locks.apply(cycle);
			lock.lock();
			lock.unlock();
		}
		return (double) (System.nanoTime() - start) / CYCLES;
	}

}
