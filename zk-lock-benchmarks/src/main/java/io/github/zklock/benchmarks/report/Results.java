package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Sample;

/**
 * Everything that was measured.
 */
public final class Results {

	private final Map<Cell, Map<Integer, Sample>> samples = new LinkedHashMap<>();

	private final List<String> failures = new ArrayList<>();

	/**
	 * Add what was measured.
	 * @param cell who and what
	 * @param round the round
	 * @param sample the numbers
	 */
	public void add(Cell cell, int round, Sample sample) {
		this.samples.computeIfAbsent(cell, (key) -> new TreeMap<>()).put(round, sample);
	}

	/**
	 * Add what could not be measured.
	 * @param cell who and what
	 * @param round the round
	 * @param failure why
	 */
	public void addFailure(Cell cell, int round, Exception failure) {
		this.failures.add("%s, round %d: %s".formatted(cell, round + 1, failure));
	}

	/**
	 * Return what could not be measured, and why.
	 * @return a text for each
	 */
	public List<String> failures() {
		return List.copyOf(this.failures);
	}

	/**
	 * Return who and what was measured.
	 * @return the cells
	 */
	public List<Cell> cells() {
		return List.copyOf(this.samples.keySet());
	}

	/**
	 * Return the numbers of all rounds.
	 * @param cell who and what
	 * @param metric which number
	 * @return its summary; empty if it was not measured
	 */
	public Optional<Summary> summary(Cell cell, Metric metric) {
		return Summary.of(rounds(cell).values()
			.stream()
			.map((sample) -> sample.values().get(metric))
			.filter((value) -> value != null)
			.mapToDouble(Double::doubleValue));
	}

	/**
	 * Return how many times as much one has as another, round by round.
	 * @param cell who and what
	 * @param other whom to compare with
	 * @param metric which number
	 * @return the summary of the ratios; empty if one of them was not measured
	 */
	public Optional<Summary> ratio(Cell cell, Cell other, Metric metric) {
		DoubleStream.Builder ratios = DoubleStream.builder();
		rounds(cell).forEach((round, sample) -> {
			Sample compared = rounds(other).get(round);
			Double one = sample.values().get(metric);
			Double base = (compared != null) ? compared.values().get(metric) : null;
			if (one != null && base != null && base > 0) {
				ratios.add(one / base);
			}
		});
		return Summary.of(ratios.build());
	}

	/**
	 * Return how many times as much one has as another, turn by turn.
	 * @param cell who and what
	 * @param other whom to compare with
	 * @return the estimate; empty if they did not take turns
	 */
	public Optional<Estimate> pairedRatio(Cell cell, Cell other) {
		return pairs(cell, other, (one, base) -> one / base);
	}

	/**
	 * Return how much more one has than another, turn by turn.
	 * @param cell who and what
	 * @param other whom to compare with
	 * @return the estimate; empty if they did not take turns
	 */
	public Optional<Estimate> pairedDifference(Cell cell, Cell other) {
		return pairs(cell, other, (one, base) -> one - base);
	}

	/**
	 * Estimate from the medians of blocks. Turns of one block are no independent values:
	 * they have their sessions and moments in common.
	 */
	private Optional<Estimate> pairs(Cell cell, Cell other, DoubleBinaryOperator comparison) {
		DoubleStream.Builder medians = DoubleStream.builder();
		rounds(cell).forEach((round, sample) -> {
			Sample compared = rounds(other).get(round);
			if (compared != null) {
				for (int block = 0; block < Math.min(sample.blocks().size(), compared.blocks().size()); block++) {
					median(sample.blocks().get(block), compared.blocks().get(block), comparison)
						.ifPresent(medians::add);
				}
			}
		});
		return Estimate.of(medians.build());
	}

	private static Optional<Double> median(List<Double> turns, List<Double> others, DoubleBinaryOperator comparison) {
		return Summary
			.of(IntStream.range(0, Math.min(turns.size(), others.size()))
				.mapToDouble((turn) -> comparison.applyAsDouble(turns.get(turn), others.get(turn))))
			.map(Summary::median);
	}

	/**
	 * Return the limit that somebody is compared with.
	 * @param cell who and what
	 * @return the cell of the limit; empty if none was measured
	 */
	Optional<Cell> limit(Cell cell) {
		return Contestants.all()
			.stream()
			.filter(Contestant::isLimit)
			.map((contestant) -> cell.of(contestant.name()))
			.filter(this.samples::containsKey)
			.findFirst();
	}

	private Map<Integer, Sample> rounds(Cell cell) {
		return this.samples.getOrDefault(cell, Map.of());
	}

	/**
	 * Who and what.
	 *
	 * @param scenario the scenario's name
	 * @param variant the variant's label
	 * @param contestant the contestant's name
	 */
	public record Cell(String scenario, String variant, String contestant) {

		Cell of(String otherContestant) {
			return new Cell(this.scenario, this.variant, otherContestant);
		}

		@Override
		public String toString() {
			return "%s, %s, %s".formatted(this.scenario, this.variant, this.contestant);
		}

	}

}
