package io.github.zklock.benchmarks.scenario;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What one contestant did in one round.
 *
 * @param values the numbers
 * @param blocks the number of each turn, in the order of the turns, for each block; empty
 * if contestants did not take turns
 */
public record Sample(Map<Metric, Double> values, List<List<Double>> blocks) {

	/**
	 * One number.
	 * @param metric what it means
	 * @param value the number
	 * @return a sample with this number only
	 */
	public static Sample of(Metric metric, double value) {
		return new Sample(Map.of(metric, value), List.of());
	}

	/**
	 * The distribution of times.
	 * @param nanos the times, at least one
	 * @return a sample with p50 and p99
	 */
	static Sample ofTimes(long[] nanos) {
		long[] sorted = nanos.clone();
		Arrays.sort(sorted);
		return of(Metric.P50, percentile(sorted, 0.50)).with(Metric.P99, percentile(sorted, 0.99));
	}

	private static double percentile(long[] sorted, double part) {
		int index = (int) Math.ceil(part * sorted.length) - 1;
		return sorted[Math.max(0, index)] / 1_000.0;
	}

	Sample with(Metric metric, double value) {
		Map<Metric, Double> more = new EnumMap<>(this.values);
		more.put(metric, value);
		return new Sample(Map.copyOf(more), this.blocks);
	}

	/**
	 * Add the numbers of turns.
	 * @param turns the number of each turn, for each block
	 * @return a sample with these, too
	 */
	public Sample withBlocks(List<List<Double>> turns) {
		return new Sample(this.values, turns.stream().map(List::copyOf).toList());
	}

}
