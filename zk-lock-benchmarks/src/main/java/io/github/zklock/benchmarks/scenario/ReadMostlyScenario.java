package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Capability;
import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.MeasuredLock;

/**
 * Many readers and few writers.
 */
final class ReadMostlyScenario implements Scenario {

	private static final int SESSIONS = 4;

	private static final int THREADS_OF_SESSION = 4;

	private static final int CYCLES_PER_WRITE = 20;

	@Override
	public String name() {
		return "read-mostly";
	}

	@Override
	public String title() {
		return "One read/write lock, mostly read";
	}

	@Override
	public String about() {
		return "Four sessions with four threads each; every twentieth cycle of a thread writes. The raw limit keeps "
				+ "nobody out.";
	}

	@Override
	public Metric main() {
		return Metric.THROUGHPUT;
	}

	@Override
	public List<Variant> variants(Effort effort) {
		return Variant.only("16 threads");
	}

	@Override
	public boolean takes(Contestant contestant, Variant variant, Effort effort) {
		return contestant.capabilities().contains(Capability.READ_WRITE);
	}

	@Override
	public Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		List<Action> actions = new ArrayList<>();
		for (Client client : Bench.parallel(SESSIONS, () -> bench.client(contestant))) {
			for (int thread = 0; thread < THREADS_OF_SESSION; thread++) {
				MeasuredLock read = client.readLock(bench.lockName());
				MeasuredLock write = client.writeLock(bench.lockName());
				Action.cycle(write).run();
				actions.add(new ReadMostly(Action.cycle(read), Action.cycle(write), actions.size()));
			}
		}
		return Workload.run(actions, bench.effort());
	}

	private static final class ReadMostly implements Action {

		private final Action read;

		private final Action write;

		private int cycle;

		ReadMostly(Action read, Action write, int first) {
			this.read = read;
			this.write = write;
			this.cycle = first;
		}

		@Override
		public void run() throws Exception {
			if (++this.cycle % CYCLES_PER_WRITE == 0) {
				this.write.run();
			}
			else {
				this.read.run();
			}
		}

	}

}
