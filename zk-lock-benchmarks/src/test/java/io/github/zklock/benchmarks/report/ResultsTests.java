package io.github.zklock.benchmarks.report;

import java.util.Map;

import io.github.zklock.benchmarks.report.Results.Cell;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Sample;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Results}, {@link Targets} and {@link Json}.
 */
class ResultsTests {

	private final Results results = new Results();

	private final Cell own = new Cell("uncontended", "1 thread", "zk-lock");

	private final Cell raw = this.own.of("raw create+delete");

	private void add(int round, double own, double raw) {
		this.results.add(this.own, round, Sample.of(Metric.P50, own));
		this.results.add(this.raw, round, Sample.of(Metric.P50, raw));
	}

	@Test
	void medianAndSpreadOfRounds() {
		add(0, 300, 1);
		add(1, 100, 1);
		add(2, 110, 1);
		assertThat(this.results.summary(this.own, Metric.P50)).contains(new Summary(110, 100, 300));
		assertThat(this.results.summary(this.own, Metric.HEAP)).isEmpty();
	}

	@Test
	void ratioIsThatOfTheSameRound() {
		add(0, 300, 300);
		add(1, 110, 100);
		add(2, 60, 50);
		assertThat(this.results.ratio(this.own, this.raw, Metric.P50)).contains(new Summary(1.1, 1.0, 1.2));
	}

	@Test
	void targetIsMetOrNot() {
		add(0, 110, 100);
		assertThat(Targets.of(this.results)).singleElement().satisfies((target) -> {
			assertThat(target.isMet()).isTrue();
			assertThat(target.goal()).isEqualTo("<= 1.10");
		});
		add(0, 121, 100);
		assertThat(Targets.of(this.results)).singleElement().satisfies((target) -> {
			assertThat(target.isMet()).isFalse();
			assertThat(target.verdict()).isEqualTo("missed by 10 %");
		});
	}

	@Test
	void jsonIsQuoted() {
		assertThat(Json.write(Map.of("a \"b\"\n", 1.5))).isEqualTo("{\n  \"a \\\"b\\\"\\u000a\": 1.5\n}");
	}

}
