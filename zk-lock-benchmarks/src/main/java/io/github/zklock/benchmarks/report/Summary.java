package io.github.zklock.benchmarks.report;

import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * The numbers of several rounds.
 *
 * @param median the one in the middle
 * @param min the smallest
 * @param max the largest
 */
public record Summary(double median, double min, double max) {

	static Optional<Summary> of(DoubleStream values) {
		double[] sorted = values.sorted().toArray();
		if (sorted.length == 0) {
			return Optional.empty();
		}
		int middle = sorted.length / 2;
		double median = (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
		return Optional.of(new Summary(median, sorted[0], sorted[sorted.length - 1]));
	}

}
