package io.github.zklock.embedded;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * What a relay does with everything that travels in one direction: pass it on, hold it
 * back, or swallow it; and how long it is under way.
 */
final class Valve {

	enum State {

		OPEN, HOLDING, SWALLOWING

	}

	// Object.wait would round each delay up to whole milliseconds
	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private State state = State.OPEN;

	private volatile long delayNanos;

	void set(State state) {
		this.lock.lock();
		try {
			this.state = state;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	void delay(Duration delay) {
		this.delayNanos = delay.toNanos();
	}

	long delayNanos() {
		return this.delayNanos;
	}

	/**
	 * Wait until what was read is due and the valve does not hold it back.
	 * @param dueNanos when it is due, as {@link System#nanoTime()}
	 * @param exempt whether it passes although the valve holds back what follows
	 * @param onSwallow called before the state can change if it is to be swallowed
	 * @return whether to pass it on
	 */
	boolean await(long dueNanos, BooleanSupplier exempt, Runnable onSwallow) throws InterruptedException {
		this.lock.lock();
		try {
			for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
				this.changed.awaitNanos(left);
			}
			while (this.state == State.HOLDING && !exempt.getAsBoolean()) {
				this.changed.await();
			}
			if (this.state == State.SWALLOWING) {
				onSwallow.run();
				return false;
			}
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

}
