package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * How long nobody leads after a leader has crashed.
 */
final class LeaderCrashScenario implements Scenario {

	private static final Duration SETTLED = Duration.ofMillis(100);

	@Override
	public String name() {
		return "leader-crash";
	}

	@Override
	public String title() {
		return "Leader hand-over after a crash";
	}

	@Override
	public String about() {
		return "The leader's host goes silent without closing its connection. The time until the successor is told that "
				+ "it leads, relative to the session timeout of four ticks: the servers decide it, not the library.";
	}

	@Override
	public Metric main() {
		return Metric.SESSION_TIMEOUTS;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.only("2 sessions");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.ELECTION);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		Duration timeout = bench.effort().shortestSessionTimeout();
		Wire wire = bench.wire();
		Grants leader = new Grants(bench.client(contestant, wire, timeout), bench.lockName());
		Grants next = new Grants(bench.client(contestant), bench.lockName());
		leader.candidate().join();
		leader.await();
		next.candidate().join();
		bench.awaitQuiet(SETTLED);
		long start = System.nanoTime();
		wire.swallow();
		long nanos = next.await() - start;
		// the way back is gone for good, so that closing the client does not take long
		wire.close();
		return Sample.of(Metric.SESSION_TIMEOUTS, (double) nanos / timeout.toNanos());
	}

}
