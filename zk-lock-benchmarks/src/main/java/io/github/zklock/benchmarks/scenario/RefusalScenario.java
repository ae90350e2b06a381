package io.github.zklock.benchmarks.scenario;

import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * Being refused a lock that others hold.
 */
final class RefusalScenario implements Scenario {

	private static final String LOCAL = "held in the same process";

	private static final String REMOTE = "held by another process";

	@Override
	public String name() {
		return "refusal";
	}

	@Override
	public String title() {
		return "Zero-wait refusals";
	}

	@Override
	public String about() {
		return "One thread asks again and again for a lock that somebody else holds. The limit is one read.";
	}

	@Override
	public Metric main() {
		return Metric.P50;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return List.of(new Variant(LOCAL, 1), new Variant(REMOTE, 2));
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.TRY)
				&& (!contestant.isLimit() || variant.label().equals(REMOTE));
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Client refused = bench.client(contestant);
		Client other = bench.client(contestant);
		Client holder = variant.label().equals(LOCAL) ? refused : other;
		new Holder(holder.lock(bench.lockName())).hold();
		return Workload.run(List.of(Action.refusal(refused.lock(bench.lockName()))), bench.effort());
	}

}
