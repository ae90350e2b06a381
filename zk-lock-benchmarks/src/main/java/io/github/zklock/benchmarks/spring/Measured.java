package io.github.zklock.benchmarks.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Something that was measured several times.
 */
final class Measured {

	private final String label;

	private final List<Double> values = new ArrayList<>();

	Measured(String label) {
		this.label = label;
	}

	void add(double value) {
		this.values.add(value);
		System.out.printf(Locale.ROOT, "  %s: %.0f%n", this.label, value);
	}

	double median() {
		List<Double> sorted = sorted();
		return sorted.get(sorted.size() / 2);
	}

	private List<Double> sorted() {
		return this.values.stream().sorted().toList();
	}

	/**
	 * Return the lines of a table. The first one is what the others are compared with.
	 */
	static String table(List<Measured> all) {
		double base = all.get(0).median();
		return all.stream().map((measured) -> measured.line(base)).collect(Collectors.joining());
	}

	private String line(double base) {
		List<Double> sorted = sorted();
		return String.format(Locale.ROOT, "| %s | %.0f (%.0f..%.0f) | %+.0f |%n", this.label, median(), sorted.get(0),
				sorted.get(sorted.size() - 1), median() - base);
	}

}
