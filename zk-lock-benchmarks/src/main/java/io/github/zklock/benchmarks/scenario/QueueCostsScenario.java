package io.github.zklock.benchmarks.scenario;

import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * What waiting in a queue costs on the wire.
 */
final class QueueCostsScenario implements Scenario {

	@Override
	public String name() {
		return Scenarios.QUEUE_COSTS;
	}

	@Override
	public String title() {
		return "Packets per acquisition with many sessions waiting";
	}

	@Override
	public String about() {
		return "Everything that a waiting session sends and receives from its request to its release, as a mean of all "
				+ "of them. Counted by a proxy; the holder they all wait for goes another way. The session timeout is "
				+ "so long that there are no heartbeats.";
	}

	@Override
	public Metric main() {
		return Metric.REQUESTS;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.of(effort.queues(), "sessions");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return takesQueue(contestant, variant, effort);
	}

	static boolean takesQueue(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.QUEUE)
				&& (contestant.isScalable() || variant.size() <= effort.longestHerd());
	}

	@Override
	public int rounds(int wanted) {
		return 1;
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Wire wire = bench.wire();
		Client holder = bench.client(contestant, Bench.NO_HEARTBEATS);
		List<Client> waiters = Bench.parallel(variant.size(),
				() -> bench.client(contestant, wire, Bench.NO_HEARTBEATS));
		new SessionQueue(holder.lock(bench.lockName()), waiters).run(bench, wire::resetCounts);
		return wire.countsFor(variant.size());
	}

}
