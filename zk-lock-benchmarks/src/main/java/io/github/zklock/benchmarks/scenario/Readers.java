package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.MeasuredLock;
import org.jspecify.annotations.Nullable;

/**
 * A writer, and threads of one client that wait behind it until all of them read.
 */
final class Readers {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final MeasuredLock writer;

	private final AtomicLong lastGrant = new AtomicLong();

	private final CountDownLatch over = new CountDownLatch(1);

	private volatile CountDownLatch reading = new CountDownLatch(0);

	private volatile @Nullable Exception failure;

	Readers(MeasuredLock writer) {
		this.writer = writer;
		start(() -> {
			this.writer.acquire();
			this.writer.release();
		});
	}

	/**
	 * Have readers queue, as their threads are started: one after the other, so that not
	 * all requests are under way together.
	 */
	void start(Client client, String name, int count) throws Exception {
		this.reading = new CountDownLatch(count);
		for (int reader = 0; reader < count; reader++) {
			MeasuredLock lock = client.readLock(name);
			start(() -> read(lock));
		}
	}

	private void start(Action action) {
		Thread thread = new Thread(null, () -> run(action), "reader", 256 * 1024);
		thread.setDaemon(true);
		thread.start();
	}

	private void run(Action action) {
		try {
			action.run();
		}
		catch (Exception ex) {
			this.failure = ex;
		}
	}

	private void read(MeasuredLock lock) throws Exception {
		lock.acquire();
		this.lastGrant.accumulateAndGet(System.nanoTime(), Math::max);
		this.reading.countDown();
		this.over.await();
		lock.release();
	}

	/**
	 * Wait until all readers read at once.
	 * @return the nanoTime at which the last one was granted the lock
	 */
	long await() throws Exception {
		if (!this.reading.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException("%d readers still wait".formatted(this.reading.getCount()), this.failure);
		}
		return this.lastGrant.get();
	}

	/**
	 * Let all readers end.
	 */
	void end() {
		this.over.countDown();
	}

}
