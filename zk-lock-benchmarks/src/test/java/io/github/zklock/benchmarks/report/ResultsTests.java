package io.github.zklock.benchmarks.report;

import java.util.List;
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

	private void addTurns(Cell cell, int round, Double... turns) {
		addBlocks(cell, round, List.of(List.of(turns)));
	}

	private void addBlocks(Cell cell, int round, List<List<Double>> blocks) {
		this.results.add(cell, round, Sample.of(Metric.P50, 1).withBlocks(blocks));
	}

	@Test
	void pairIsThatOfTheSameTurn() {
		// the medians of their own are far from the median of the pairs
		addTurns(this.raw, 0, 100.0, 1000.0, 500.0);
		addTurns(this.own, 0, 110.0, 1200.0, 450.0);
		assertThat(this.results.pairedRatio(this.own, this.raw).orElseThrow().median()).isEqualTo(1.1);
		assertThat(this.results.pairedDifference(this.own, this.raw).orElseThrow().median()).isEqualTo(10);
	}

	@Test
	void eachBlockIsOneValue() {
		for (int round = 0; round < 3; round++) {
			addBlocks(this.raw, round, List.of(List.of(1.0, 1.0, 1.0), List.of(1.0, 1.0, 1.0)));
			addBlocks(this.own, round,
					List.of(List.of(2.0 * round, 2.0 * round, 99.0), List.of(99.0, 2.0 * round + 1, 2.0 * round + 1)));
		}
		assertThat(this.results.pairedRatio(this.own, this.raw)).contains(new Estimate(2.5, 0, 5));
	}

	@Test
	void whoTookNoTurnsHasNoPairs() {
		add(0, 110, 100);
		assertThat(this.results.pairedRatio(this.own, this.raw)).isEmpty();
		assertThat(Targets.of(this.results)).isEmpty();
	}

	@Test
	void limitIsThatOfTheSameVariant() {
		add(0, 110, 100);
		assertThat(this.results.limit(this.own)).contains(this.raw);
		assertThat(this.results.limit(new Cell("uncontended", "2 threads", "zk-lock"))).isEmpty();
	}

	@Test
	void targetIsMetOrNot() {
		addTurns(this.raw, 0, 100.0);
		addTurns(this.own, 0, 110.0);
		assertThat(Targets.of(this.results)).singleElement().satisfies((target) -> {
			assertThat(target.isMet()).isTrue();
			assertThat(target.goal()).isEqualTo("<= 1.10");
			assertThat(target.remark()).isEqualTo("too few blocks for an interval");
		});
		for (int round = 0; round < 6; round++) {
			addTurns(this.raw, round, 100.0);
			addTurns(this.own, round, 116.0 + 2 * round);
		}
		assertThat(Targets.of(this.results)).singleElement().satisfies((target) -> {
			assertThat(target.isMet()).isFalse();
			assertThat(target.verdict()).isEqualTo("missed by 10 %");
			assertThat(target.remark()).isEqualTo("95 % interval 1.16..1.26");
		});
	}

	@Test
	void targetOfSessionsIsTheLeastRatioOfTheSameTurns() {
		Cell sessions = new Cell("hot-sessions", "8 sessions", "zk-lock");
		addTurns(sessions, 0, 100.0, 200.0, 300.0);
		addTurns(sessions.of("raw hand-over"), 0, 1_000.0, 2_000.0, 3_000.0);
		addTurns(sessions.of("Curator"), 0, 105.0, 205.0, 1.0);
		addTurns(sessions.of("herd lock"), 0, 90.0, 1_000.0, 290.0);
		assertThat(Targets.of(this.results)).singleElement().satisfies((target) -> {
			assertThat(target.remark()).startsWith("best other: Curator, ");
			assertThat(target.measured()).isEqualTo(200 / 205.0);
			assertThat(target.isMet()).isFalse();
		});
	}

	@Test
	void jsonIsQuoted() {
		assertThat(Json.write(Map.of("a \"b\"\n", 1.5))).isEqualTo("{\n  \"a \\\"b\\\"\\u000a\": 1.5\n}");
	}

}
