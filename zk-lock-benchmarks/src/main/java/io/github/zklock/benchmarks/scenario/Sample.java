package io.github.zklock.benchmarks.scenario;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * What one contestant did in one round.
 *
 * @param values the numbers
 */
public record Sample(Map<Metric, Double> values) {

	/**
	 * One number.
	 * @param metric what it means
	 * @param value the number
	 * @return a sample with this number only
	 */
	public static Sample of(Metric metric, double value) {
		return new Sample(Map.of(metric, value));
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
		return new Sample(Map.copyOf(more));
	}

}
