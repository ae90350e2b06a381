package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * How long it takes after an outage until everything goes on.
 */
final class OutageScenario implements Scenario {

	private static final Duration SETTLED = Duration.ofMillis(100);

	@Override
	public String name() {
		return Scenarios.OUTAGE;
	}

	@Override
	public String title() {
		return "After an outage";
	}

	@Override
	public String about() {
		return "One thread of a process holds a lock, another one waits for it, and the process leads. All servers are "
				+ "stopped for two session timeouts of four ticks each, and started again with their data and sessions: "
				+ "the old nodes are all there. The time until the waiting thread has the lock and the process leads "
				+ "again. The others are not compared, as their holders are not told that they have lost a lock.";
	}

	@Override
	public Metric main() {
		return Metric.AFTER_RETURN;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.only("a lock and a leader");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.name().equals(Contestants.ZK_LOCK);
	}

	@Override
	public int rounds(int wanted) {
		return Math.min(wanted, 3);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Duration timeout = bench.effort().shortestSessionTimeout();
		Servers servers = bench.startServers();
		Wire wire = bench.wire(servers);
		Client client = bench.client(contestant, wire, timeout);
		new Holder(client.lock(bench.lockName())).hold();
		Waiter waiter = new Waiter(client.lock(bench.lockName()));
		waiter.start();
		Grants leader = new Grants(client, bench.lockName());
		leader.candidate().join();
		leader.await();
		servers.awaitQuiet(SETTLED);
		servers.stopAll();
		TimeUnit.NANOSECONDS.sleep(timeout.multipliedBy(2).toNanos());
		wire.resetCounts();
		servers.startAll();
		Moment returned = new Moment(servers::areBack);
		Moment connected = new Moment(wire::isConnected);
		long done = Math.max(waiter.await(), leader.await());
		return Sample.of(Metric.AFTER_RETURN, (done - returned.await()) / 1e6)
			.with(Metric.AFTER_CONNECT, (done - connected.await()) / 1e6);
	}

	/**
	 * A thread that waits for a lock, and keeps it.
	 */
	private static final class Waiter extends Thread {

		private static final Duration PATIENCE = Duration.ofMinutes(1);

		private final MeasuredLock lock;

		private final CountDownLatch granted = new CountDownLatch(1);

		private volatile long time;

		Waiter(MeasuredLock lock) {
			super("waiter");
			setDaemon(true);
			this.lock = lock;
		}

		@Override
		public void run() {
			try {
				this.lock.acquire();
				this.time = System.nanoTime();
				this.granted.countDown();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		/**
		 * Wait until the thread has the lock.
		 * @return the nanoTime at which it was granted
		 */
		long await() throws InterruptedException {
			if (!this.granted.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException("Still waiting after " + PATIENCE);
			}
			return this.time;
		}

	}

}
