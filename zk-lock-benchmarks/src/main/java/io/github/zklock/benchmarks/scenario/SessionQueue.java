package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.MeasuredLock;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that wait for one lock, each with one thread, until the holder lets go.
 * Everybody then holds it for a moment.
 */
final class SessionQueue {

	private static final Duration SETTLED = Duration.ofMillis(200);

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private final MeasuredLock holder;

	private final List<Client> waiters;

	private final CountDownLatch done;

	private volatile @Nullable Exception failure;

	SessionQueue(MeasuredLock holder, List<Client> waiters) {
		this.holder = holder;
		this.waiters = waiters;
		this.done = new CountDownLatch(waiters.size());
	}

	/**
	 * Fill the queue and drain it.
	 * @param beforeFirst run when all locks are there and nobody waits yet
	 * @return the nanoseconds from the release until all have had the lock
	 */
	long run(Bench bench, Runnable beforeFirst) throws Exception {
		this.holder.acquire();
		List<MeasuredLock> locks = locks(bench);
		beforeFirst.run();
		for (MeasuredLock lock : locks) {
			Thread thread = new Thread(null, () -> cycle(lock), "waiter", 256 * 1024);
			thread.setDaemon(true);
			thread.start();
		}
		bench.awaitQuiet(SETTLED);
		long start = System.nanoTime();
		this.holder.release();
		if (!this.done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException(
					"%d of %d sessions still wait".formatted(this.done.getCount(), locks.size()), this.failure);
		}
		long nanos = System.nanoTime() - start;
		if (this.failure != null) {
			throw this.failure;
		}
		return nanos;
	}

	private List<MeasuredLock> locks(Bench bench) throws Exception {
		List<MeasuredLock> locks = new ArrayList<>();
		for (Client waiter : this.waiters) {
			locks.add(waiter.lock(bench.lockName()));
		}
		return locks;
	}

	private void cycle(MeasuredLock lock) {
		try {
			lock.acquire();
			lock.release();
		}
		catch (Exception ex) {
			this.failure = ex;
		}
		finally {
			this.done.countDown();
		}
	}

}
