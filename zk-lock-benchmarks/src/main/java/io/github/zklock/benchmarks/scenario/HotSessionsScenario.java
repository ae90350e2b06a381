package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * One lock that many processes want.
 */
final class HotSessionsScenario extends PairedScenario {

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
		return "Each session has one thread, and all lock and unlock the same lock, without any work in between. "
				+ "Contestants take turns of a fraction of a second.";
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
	Effort.Blocks blocks(Effort effort) {
		return effort.sessionTurns();
	}

	@Override
	Player player(Contestant contestant, Variant variant, Bench bench) throws Exception {
		AtomicInteger session = new AtomicInteger();
		List<Action> cycles = new ArrayList<>();
		for (Client client : Bench.parallel(variant.size(),
				() -> bench.client(contestant, session.getAndIncrement()))) {
			Action cycle = Action.cycle(client.lock(bench.lockName()));
			cycle.run();
			cycles.add(cycle);
		}
		return new HotSessions(cycles, bench.effort());
	}

}
