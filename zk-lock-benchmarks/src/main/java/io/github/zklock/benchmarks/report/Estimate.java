package io.github.zklock.benchmarks.report;

import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * A median, and the interval in which the true one lies, with a confidence of at least 95
 * percent.
 *
 * @param median the one in the middle
 * @param low where the interval begins; infinite if there are too few values
 * @param high where the interval ends; infinite if there are too few values
 */
public record Estimate(double median, double low, double high) {

	private static final double OUTSIDE = 0.05;

	/**
	 * Estimate a median. The interval is that of the order statistics: it reaches from
	 * the k-th smallest to the k-th largest value. The true median is outside of it only
	 * if fewer than k of n values are below, or above, and each of them is so with a
	 * probability of one half, whatever their distribution is. Values have to be
	 * independent of each other.
	 */
	static Optional<Estimate> of(DoubleStream values) {
		double[] sorted = values.sorted().toArray();
		int k = rank(sorted.length);
		return Summary.of(DoubleStream.of(sorted))
			.map((summary) -> (k == 0)
					? new Estimate(summary.median(), Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
					: new Estimate(summary.median(), sorted[k - 1], sorted[sorted.length - k]));
	}

	/**
	 * Return the largest rank from both ends that leaves at most 2.5 % outside at each.
	 * @param values how many values there are
	 * @return the rank, counted from one; zero if even the extremes leave more
	 */
	static int rank(int values) {
		// the probability that exactly 'rank' values are below, which may be tiny
		double logarithm = -values * Math.log(2);
		double outside = Math.exp(logarithm);
		int rank = 0;
		while (rank < values / 2 && outside <= OUTSIDE / 2) {
			rank++;
			logarithm += Math.log((double) (values - rank + 1) / rank);
			outside += Math.exp(logarithm);
		}
		return rank;
	}

	/**
	 * Return whether there are enough values for an interval.
	 * @return whether both ends are known
	 */
	public boolean hasInterval() {
		return Double.isFinite(this.low) && Double.isFinite(this.high);
	}

}
