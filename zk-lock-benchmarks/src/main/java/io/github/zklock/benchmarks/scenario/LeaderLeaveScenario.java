package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * How long nobody leads after a leader has left.
 */
final class LeaderLeaveScenario implements Scenario {

	private static final Duration SETTLED = Duration.ofMillis(100);

	@Override
	public String name() {
		return "leader-leave";
	}

	@Override
	public String title() {
		return "Leader hand-over after leaving";
	}

	@Override
	public String about() {
		return "The time from the leader's call to leave until its successor, which has been waiting, is told that it "
				+ "leads.";
	}

	@Override
	public Metric main() {
		return Metric.P50;
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
		Grants leader = new Grants(bench.client(contestant), bench.lockName());
		Grants next = new Grants(bench.client(contestant), bench.lockName());
		leader.candidate().join();
		leader.await();
		long[] times = new long[bench.effort().handOvers()];
		for (int handOver = 0; handOver < times.length; handOver++) {
			next.candidate().join();
			bench.awaitQuiet(SETTLED);
			long start = System.nanoTime();
			leader.candidate().leave();
			times[handOver] = next.await() - start;
			Grants gone = leader;
			leader = next;
			next = gone;
		}
		return Sample.ofTimes(times);
	}

}
