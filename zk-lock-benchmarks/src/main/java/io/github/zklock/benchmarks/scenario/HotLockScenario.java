package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * One lock that many threads of one process want.
 */
final class HotLockScenario implements Scenario {

	@Override
	public String name() {
		return Scenarios.HOT_LOCK;
	}

	@Override
	public String title() {
		return "One hot lock in one process";
	}

	@Override
	public String about() {
		return "All threads lock and unlock the same lock on one session, without any work in between. Curator and the "
				+ "recipes have a lock object per thread, which is faster for them than to share one.";
	}

	@Override
	public Metric main() {
		return Metric.THROUGHPUT;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.of(effort.hotThreads(), "threads");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.QUEUE);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Client client = bench.client(contestant);
		List<Action> actions = new ArrayList<>();
		for (int thread = 0; thread < variant.size(); thread++) {
			actions.add(Action.cycle(client.lock(bench.lockName())));
		}
		actions.get(0).run();
		return Workload.run(actions, bench.effort());
	}

}
