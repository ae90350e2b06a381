package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * A lock that nobody else wants, far from the servers: what counts is the number of round
 * trips.
 */
final class LongWayScenario extends PairedScenario {

	private static final Duration ROUND_TRIP = Duration.ofMillis(10);

	@Override
	public String name() {
		return Scenarios.LONG_WAY;
	}

	@Override
	public String title() {
		return "A free lock, with 10 ms added to each round trip";
	}

	@Override
	public String about() {
		return "One thread locks and unlocks through a proxy that delays both directions by 5 ms, one cycle for each "
				+ "contestant in turn.";
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
		return effort.far();
	}

	@Override
	Player player(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Wire wire = bench.wire();
		Client client = bench.client(contestant, wire, Bench.SESSION_TIMEOUT);
		FreeLock lock = new FreeLock(client.lock(bench.lockName()));
		lock.cycle();
		wire.delay(ROUND_TRIP);
		return lock;
	}

}
