package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * Many readers of one process behind two writers of others.
 */
final class LocalReadersScenario implements Scenario {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(15);

	private static final Duration SETTLED = Duration.ofMillis(500);

	/**
	 * What others read grows with the square.
	 */
	private static final int MOST_OF_OTHERS = 500;

	@Override
	public String name() {
		return Scenarios.LOCAL_READERS;
	}

	@Override
	public String title() {
		return "Many readers of one process";
	}

	@Override
	public String about() {
		return "One session writes, a second one waits to write, and behind them the threads of a third one ask one after the "
				+ "other to read, wait, and then read together. Counted is all that the third session sends and receives in all. Its session "
				+ "timeout is 15 s, and it holds another lock, which it must not lose meanwhile. The worst delay is by how "
				+ "much its event loop was late to end a wait of a millisecond. The time is that from the first writer's "
				+ "release until all read.";
	}

	@Override
	public Metric main() {
		return Metric.BYTES_IN;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.of(effort.localReaders(), "readers");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.READ_WRITE) && !contestant.isLimit()
				&& (contestant.name().equals(Contestants.ZK_LOCK) || variant.size() <= MOST_OF_OTHERS);
	}

	@Override
	public int rounds(int wanted) {
		return Math.min(wanted, 2);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Wire wire = bench.wire();
		Client client = bench.client(contestant, wire, SESSION_TIMEOUT);
		String other = bench.lockName() + "-other";
		MeasuredLock kept = client.lock(other);
		kept.acquire();
		MeasuredLock first = bench.client(contestant).writeLock(bench.lockName());
		first.acquire();
		Readers readers = new Readers(bench.client(contestant).writeLock(bench.lockName()));
		bench.awaitQuiet(SETTLED);
		wire.resetCounts();
		try (DelayProbe probe = new DelayProbe(client, other)) {
			readers.start(client, bench.lockName(), variant.size());
			bench.awaitQuiet(SETTLED);
			long start = System.nanoTime();
			first.release();
			long nanos = readers.await() - start;
			Sample sample = wire.countsFor(1).with(Metric.TOTAL, nanos / 1e6).with(Metric.LOST, isLost(kept) ? 1 : 0);
			readers.end();
			return probe.addTo(sample);
		}
	}

	private static boolean isLost(MeasuredLock lock) {
		try {
			lock.release();
			return false;
		}
		catch (Exception ex) {
			return true;
		}
	}

}
