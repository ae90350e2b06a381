package io.github.zklock.benchmarks.scenario;

import java.util.List;

import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * How long it takes until everybody in a queue has had the lock.
 */
final class QueueDrainScenario implements Scenario {

	private static final int MOST_ROUNDS = 3;

	@Override
	public String name() {
		return "queue-drain";
	}

	@Override
	public String title() {
		return "A queue of waiting sessions drained";
	}

	@Override
	public String about() {
		return "The time from the holder's release until every session has had the lock once, and released it.";
	}

	@Override
	public Metric main() {
		return Metric.TOTAL;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.of(effort.queues(), "sessions");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return QueueCostsScenario.takesQueue(contestant, variant, effort);
	}

	@Override
	public int rounds(int wanted) {
		return Math.min(wanted, MOST_ROUNDS);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Client holder = bench.client(contestant, Bench.NO_HEARTBEATS);
		List<Client> waiters = Bench.parallel(variant.size(), () -> bench.client(contestant, Bench.NO_HEARTBEATS));
		long nanos = new SessionQueue(holder.lock(bench.lockName()), waiters).run(bench, () -> {
		});
		return Sample.of(Metric.TOTAL, nanos / 1e6).with(Metric.THROUGHPUT, variant.size() / (nanos / 1e9));
	}

}
