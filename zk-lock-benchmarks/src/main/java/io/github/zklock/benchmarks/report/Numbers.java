package io.github.zklock.benchmarks.report;

import java.util.Locale;

/**
 * Numbers for people.
 */
final class Numbers {

	private Numbers() {
	}

	/**
	 * Format a number with about three digits.
	 */
	static String format(double value) {
		double size = Math.abs(value);
		if (size >= 100 || value == Math.rint(value)) {
			return String.format(Locale.ROOT, "%,.0f", value).replace(',', ' ');
		}
		return String.format(Locale.ROOT, (size >= 10) ? "%.1f" : "%.2f", value);
	}

	/**
	 * Format the median and, if it is not always the same, the spread.
	 */
	static String format(Summary summary) {
		String median = format(summary.median());
		if (summary.min() == summary.max()) {
			return median;
		}
		return "%s (%s..%s)".formatted(median, format(summary.min()), format(summary.max()));
	}

	/**
	 * Format the median and the interval, if there is one.
	 */
	static String format(Estimate estimate) {
		String median = format(estimate.median());
		if (!estimate.hasInterval() || estimate.low() == estimate.high()) {
			return median;
		}
		return "%s (%s..%s)".formatted(median, format(estimate.low()), format(estimate.high()));
	}

}
