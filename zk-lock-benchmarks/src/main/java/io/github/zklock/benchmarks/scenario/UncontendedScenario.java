package io.github.zklock.benchmarks.scenario;

import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * A lock that nobody else wants.
 */
final class UncontendedScenario extends PairedScenario {

	@Override
	public String name() {
		return Scenarios.UNCONTENDED;
	}

	@Override
	public String title() {
		return "A free lock";
	}

	@Override
	public String about() {
		return "One thread locks and unlocks, one cycle for each contestant in turn. ShedLock cannot wait, so its cycle "
				+ "starts with a zero-wait attempt.";
	}

	@Override
	public Metric main() {
		return Metric.P50;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.only("1 thread");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.CYCLE);
	}

	@Override
	Effort.Blocks blocks(Effort effort) {
		return effort.near();
	}

	@Override
	Player player(Contestant contestant, Variant variant, Bench bench) throws Exception {
		FreeLock lock = new FreeLock(bench.client(contestant).lock(bench.lockName()));
		lock.cycle();
		return lock;
	}

}
