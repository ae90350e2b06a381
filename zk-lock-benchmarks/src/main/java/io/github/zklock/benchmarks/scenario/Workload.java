package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;

/**
 * Threads that do the same again and again, and measure how long each time takes.
 */
final class Workload {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final List<Worker> workers = new ArrayList<>();

	private long nanos;

	private volatile boolean measuring;

	private volatile boolean stopped;

	private volatile @Nullable Exception failure;

	private Workload(List<Action> actions) {
		for (Action action : actions) {
			this.workers.add(new Worker(action));
		}
	}

	/**
	 * Measure.
	 * @param actions what to do, one thread for each
	 * @param effort how long
	 * @return times and throughput
	 */
	static Sample run(List<Action> actions, Effort effort) throws Exception {
		Workload workload = measure(actions, effort.warmUp(), effort.window());
		return Sample.ofTimes(workload.times().toArray()).with(Metric.THROUGHPUT, workload.throughput());
	}

	/**
	 * Measure.
	 * @param actions what to do, one thread for each
	 * @param warmUp how long to run before
	 * @param window how long to measure
	 * @return what was measured
	 */
	static Workload measure(List<Action> actions, Duration warmUp, Duration window) throws Exception {
		Workload workload = new Workload(actions);
		workload.run(warmUp, window);
		return workload;
	}

	private void run(Duration warmUp, Duration window) throws Exception {
		this.workers.forEach(Thread::start);
		TimeUnit.NANOSECONDS.sleep(warmUp.toNanos());
		long start = System.nanoTime();
		this.measuring = true;
		TimeUnit.NANOSECONDS.sleep(window.toNanos());
		while (!hasMeasured() && this.failure == null && System.nanoTime() - start < PATIENCE.toNanos()) {
			TimeUnit.NANOSECONDS.sleep(POLL_INTERVAL.toNanos());
		}
		this.measuring = false;
		this.nanos = System.nanoTime() - start;
		this.stopped = true;
		for (Worker worker : this.workers) {
			worker.join(PATIENCE.toMillis());
			if (worker.isAlive()) {
				throw new IllegalStateException("A thread has not come back from " + worker.action);
			}
		}
		if (this.failure != null) {
			throw this.failure;
		}
	}

	/**
	 * Return the nanoseconds that each time took.
	 */
	LongStream times() {
		return this.workers.stream().flatMapToLong(Worker::times);
	}

	/**
	 * Return how often all threads together did it in a second.
	 */
	double throughput() {
		return this.workers.stream().mapToLong((worker) -> worker.count).sum() / (this.nanos / 1e9);
	}

	private boolean hasMeasured() {
		return this.workers.stream().anyMatch((worker) -> worker.count > 0);
	}

	private final class Worker extends Thread {

		private final Action action;

		private long[] times = new long[1024];

		private volatile int count;

		Worker(Action action) {
			super("worker");
			setDaemon(true);
			this.action = action;
		}

		@Override
		public void run() {
			try {
				while (!Workload.this.stopped) {
					long start = System.nanoTime();
					this.action.run();
					if (Workload.this.measuring) {
						add(System.nanoTime() - start);
					}
				}
			}
			catch (Exception ex) {
				Workload.this.failure = ex;
				Workload.this.stopped = true;
			}
		}

		private void add(long nanos) {
			int index = this.count;
			if (index == this.times.length) {
				this.times = Arrays.copyOf(this.times, 2 * index);
			}
			this.times[index] = nanos;
			this.count = index + 1;
		}

		LongStream times() {
			return Arrays.stream(this.times, 0, this.count);
		}

	}

}
