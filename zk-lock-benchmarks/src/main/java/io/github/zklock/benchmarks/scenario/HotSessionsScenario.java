package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * One lock that many processes want.
 */
final class HotSessionsScenario implements Scenario {

	@Override
	public String name() {
		return Scenarios.HOT_SESSIONS;
	}

	@Override
	public String title() {
		return "One hot lock over several sessions";
	}

	@Override
	public String about() {
		return "Each session has one thread, and all lock and unlock the same lock, without any work in between.";
	}

	@Override
	public Metric main() {
		return Metric.THROUGHPUT;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.of(effort.hotSessions(), "sessions");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.QUEUE);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		List<Action> actions = new ArrayList<>();
		for (Client client : Bench.parallel(variant.size(), () -> bench.client(contestant))) {
			Action cycle = Action.cycle(client.lock(bench.lockName()));
			cycle.run();
			actions.add(cycle);
		}
		return Workload.run(actions, bench.effort());
	}

}
