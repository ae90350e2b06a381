package io.github.zklock.benchmarks.report;

import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Estimate}.
 */
class EstimateTests {

	/**
	 * The ranks of the tables for confidence intervals of a median, for 95 %.
	 */
	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 0", "5, 0", "6, 1", "8, 1", "9, 2", "10, 2", "12, 3", "20, 6", "25, 8", "40, 14", "50, 18",
			"100, 40", "10000, 4902" })
	void rankIsThatOfTheTables(int values, int rank) {
		assertThat(Estimate.rank(values)).isEqualTo(rank);
	}

	@Test
	void intervalHasAnEndOnBothSides() {
		DoubleStream values = DoubleStream.of(10, 3, 7, 1, 9, 5, 2, 8, 4, 6);
		assertThat(Estimate.of(values)).contains(new Estimate(5.5, 2, 9));
	}

	@Test
	void oneOutlierDoesNotMatter() {
		DoubleStream values = DoubleStream.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9);
		assertThat(Estimate.of(values)).contains(new Estimate(5.5, 2, 9));
	}

	@Test
	void fewValuesHaveNoInterval() {
		assertThat(Estimate.of(DoubleStream.of(1, 2, 3, 4, 5))).hasValueSatisfying((estimate) -> {
			assertThat(estimate.median()).isEqualTo(3);
			assertThat(estimate.hasInterval()).isFalse();
			assertThat(Numbers.format(estimate)).isEqualTo("3");
		});
		assertThat(Estimate.of(DoubleStream.empty())).isEmpty();
	}

	@Test
	void intervalIsShown() {
		assertThat(Numbers.format(new Estimate(1.153, 1.141, 1.166))).isEqualTo("1.15 (1.14..1.17)");
	}

	/**
	 * Nineteen of twenty intervals have the true median in them, also if the distribution
	 * has a long tail, as that of times.
	 */
	@Test
	void intervalHasTheTrueMedianAsOftenAsItSays() {
		Random random = new Random(1);
		double median = Math.log(2);
		long inside = IntStream.range(0, 10_000)
			.mapToObj((time) -> Estimate.of(DoubleStream.generate(() -> -Math.log(1 - random.nextDouble())).limit(40))
				.orElseThrow())
			.filter((estimate) -> estimate.low() <= median && median <= estimate.high())
			.count();
		// exactly 0.9615 for 40 values
		assertThat(inside / 10_000.0).isBetween(0.955, 0.968);
	}

}
