package io.github.zklock.benchmarks.scenario;

import java.util.List;

/**
 * One size of a scenario.
 *
 * @param label for tables
 * @param size how many
 */
public record Variant(String label, int size) {

	static List<Variant> only(String label) {
		return List.of(new Variant(label, 1));
	}

	static List<Variant> of(List<Integer> sizes, String unit) {
		return sizes.stream()
			.map((size) -> new Variant(size + " " + ((size == 1) ? unit.substring(0, unit.length() - 1) : unit), size))
			.toList();
	}

}
