package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Turns} and {@link TurnLog}.
 */
class TurnsTests {

	private static final int TURNS = 3_000;

	private final List<String> taken = new ArrayList<>();

	private void take(List<String> all) throws Exception {
		Turns.take(TURNS, all, new Random(1), this.taken::add);
	}

	@Test
	void eachTurnHasEverybodyOnce() throws Exception {
		take(List.of("a", "b", "c"));
		for (int turn = 0; turn < TURNS; turn++) {
			assertThat(this.taken.subList(3 * turn, 3 * turn + 3)).containsExactlyInAnyOrder("a", "b", "c");
		}
	}

	@Test
	void everybodyComesAtEachPlaceAndAfterEveryOtherEquallyOften() throws Exception {
		take(List.of("a", "b", "c"));
		Map<String, Long> first = new TreeMap<>();
		Map<String, Long> pairs = new TreeMap<>();
		for (int turn = 0; turn < TURNS; turn++) {
			List<String> order = this.taken.subList(3 * turn, 3 * turn + 3);
			first.merge(order.get(0), 1L, Long::sum);
			pairs.merge(order.get(0) + order.get(1), 1L, Long::sum);
			pairs.merge(order.get(1) + order.get(2), 1L, Long::sum);
		}
		assertThat(first).hasSize(3).allSatisfy((who, times) -> assertThat(times).isBetween(900L, 1_100L));
		assertThat(pairs).hasSize(6).allSatisfy((who, times) -> assertThat(times).isBetween(900L, 1_100L));
	}

	@Test
	void logHasTheTurnsOfEachBlockAndAllTimes() throws Exception {
		TurnLog log = new TurnLog();
		for (int block = 0; block < 2; block++) {
			log.beginBlock();
			for (int turn = 1; turn <= 2; turn++) {
				int number = 10 * block + turn;
				log.add((times) -> {
					times.accept(1_000L * number);
					times.accept(3_000L * number);
					return number;
				});
			}
		}
		Sample sample = log.sample(Metric.THROUGHPUT);
		assertThat(sample.blocks()).containsExactly(List.of(1.0, 2.0), List.of(11.0, 12.0));
		assertThat(sample.values()).containsEntry(Metric.P99, 36.0).containsEntry(Metric.THROUGHPUT, 11.0);
	}

}
