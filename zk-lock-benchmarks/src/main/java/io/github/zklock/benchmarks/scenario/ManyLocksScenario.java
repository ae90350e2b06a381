package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * Many locks of one process at once.
 */
final class ManyLocksScenario implements Scenario {

	@Override
	public String name() {
		return Scenarios.MANY_LOCKS;
	}

	@Override
	public String title() {
		return "Many locks at once on one session";
	}

	@Override
	public String about() {
		return "Each thread locks and unlocks a lock of its own.";
	}

	@Override
	public Metric main() {
		return Metric.THROUGHPUT;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.of(effort.lockThreads(), "threads");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.CYCLE)
				&& (contestant.isLimit() || contestant.capabilities().contains(Capability.QUEUE));
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Client client = bench.client(contestant);
		List<Action> actions = new ArrayList<>();
		for (int thread = 0; thread < variant.size(); thread++) {
			MeasuredLock lock = client.lock(bench.lockName() + "-" + thread);
			Action.cycle(lock).run();
			actions.add(Action.cycle(lock));
		}
		return Workload.run(actions, bench.effort());
	}

}
