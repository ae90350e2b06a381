package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The moment at which something becomes true, to a few milliseconds.
 */
final class Moment {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final BooleanSupplier condition;

	private final Thread thread = new Thread(this::watch, "moment");

	private volatile long time;

	/**
	 * Begin to watch.
	 */
	Moment(BooleanSupplier condition) {
		this.condition = condition;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void watch() {
		try {
			while (!this.condition.getAsBoolean()) {
				TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
			}
			this.time = System.nanoTime();
		}
		catch (InterruptedException ex) {
			// nobody wants to know any more
		}
	}

	/**
	 * Wait until it is true.
	 * @return the nanoTime at which it was seen
	 */
	long await() throws InterruptedException {
		this.thread.join(PATIENCE.toMillis());
		if (this.thread.isAlive()) {
			this.thread.interrupt();
			throw new IllegalStateException("Not true after " + PATIENCE);
		}
		return this.time;
	}

}
