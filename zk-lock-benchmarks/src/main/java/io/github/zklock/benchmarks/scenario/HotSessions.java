package io.github.zklock.benchmarks.scenario;

import java.util.List;
import java.util.function.LongConsumer;

/**
 * Sessions that all want one lock: a turn is a short run of all of them, compared by its
 * throughput.
 */
final class HotSessions implements Player {

	private final List<Action> cycles;

	private final Effort effort;

	HotSessions(List<Action> cycles, Effort effort) {
		this.cycles = cycles;
		this.effort = effort;
	}

	@Override
	public double turn(LongConsumer times) throws Exception {
		Workload workload = Workload.measure(this.cycles, this.effort.turnWarmUp(), this.effort.turnWindow());
		workload.times().forEach(times);
		return workload.throughput();
	}

}
