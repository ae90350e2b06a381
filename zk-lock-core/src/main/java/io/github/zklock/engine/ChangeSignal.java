package io.github.zklock.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Lets threads wait until something is so, and ask again whenever something has changed.
 * Thread-safe.
 */
final class ChangeSignal {

	private final Platform platform;

	private final AtomicLong changes = new AtomicLong();

	private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();

	// Made before there may be no memory for it
	private final Consumer<Thread> wake;

	ChangeSignal(Platform platform) {
		this.platform = platform;
		this.wake = platform::unpark;
	}

	/**
	 * Something has changed that somebody may wait for.
	 */
	void changed() {
		this.changes.incrementAndGet();
		this.waiting.forEach(this.wake);
	}

	/**
	 * Wait until something is so.
	 * @param condition asked under no monitor
	 * @return false if it was not so in time
	 */
	boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
		long start = this.platform.nanoTime();
		Thread waiter = Thread.currentThread();
		this.waiting.add(waiter);
		try {
			while (true) {
				long seen = this.changes.get();
				if (condition.getAsBoolean()) {
					return true;
				}
				if (!awaitChange(seen, start, nanos)) {
					return condition.getAsBoolean();
				}
			}
		}
		finally {
			this.waiting.remove(waiter);
		}
	}

	private boolean awaitChange(long seen, long start, long nanos) throws InterruptedException {
		long remaining = nanos - (this.platform.nanoTime() - start);
		while (this.changes.get() == seen && remaining > 0) {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			this.platform.park(this, remaining);
			remaining = nanos - (this.platform.nanoTime() - start);
		}
		return remaining > 0;
	}

}
