package io.github.zklock.embedded;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What a relay does with everything that travels in one direction: pass it on, hold it
 * back, or swallow it; and how long it is under way.
 */
final class Valve {

	enum State {

		OPEN, HOLDING, SWALLOWING

	}

	private State state = State.OPEN;

	private long delayNanos;

	synchronized void set(State state) {
		this.state = state;
		notifyAll();
	}

	synchronized void delay(Duration delay) {
		this.delayNanos = delay.toNanos();
	}

	synchronized long delayNanos() {
		return this.delayNanos;
	}

	/**
	 * Wait until what was read is due and the valve does not hold it back.
	 * @param dueNanos when it is due, as {@link System#nanoTime()}
	 * @param exempt whether it passes although the valve holds back what follows
	 * @param onSwallow called before the state can change if it is to be swallowed
	 * @return whether to pass it on
	 */
	synchronized boolean await(long dueNanos, BooleanSupplier exempt, Runnable onSwallow) throws InterruptedException {
		while (true) {
			long remaining = dueNanos - System.nanoTime();
			if (remaining > 0) {
				TimeUnit.NANOSECONDS.timedWait(this, remaining);
			}
			else if (this.state == State.HOLDING && !exempt.getAsBoolean()) {
				wait();
			}
			else if (this.state == State.SWALLOWING) {
				onSwallow.run();
				return false;
			}
			else {
				return true;
			}
		}
	}

}
