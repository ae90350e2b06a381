package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * A scenario in which all contestants are connected at the same time and take short
 * turns. What happens to the machine happens to all of them, and each number has its pair
 * in the same turn. A round has several blocks of turns; all connect anew for each.
 */
abstract class PairedScenario implements Scenario {

	private final Random random = new Random();

	/**
	 * Return how many turns a round has.
	 */
	abstract Effort.Blocks blocks(Effort effort);

	/**
	 * Connect a contestant, and have it use its lock once.
	 */
	abstract Player player(Contestant contestant, Variant variant, Bench bench) throws Exception;

	@Override
	public final boolean isPaired() {
		return true;
	}

	/**
	 * Measure somebody alone, in one block, as there is nobody to compare with.
	 */
	@Override
	public final Sample run(Contestant contestant, Variant variant, Bench bench) throws Exception {
		return run(List.of(contestant), 1, variant, bench).values().iterator().next();
	}

	@Override
	public final Map<Contestant, Sample> run(List<Contestant> contestants, Variant variant, Bench bench)
			throws Exception {
		return run(contestants, blocks(bench.effort()).count(), variant, bench);
	}

	private Map<Contestant, Sample> run(List<Contestant> contestants, int blocks, Variant variant, Bench bench)
			throws Exception {
		Map<Contestant, TurnLog> logs = new LinkedHashMap<>();
		contestants.forEach((contestant) -> logs.put(contestant, new TurnLog()));
		for (int block = 0; block < blocks; block++) {
			try (Bench place = bench.block(block)) {
				runBlock(logs, variant, place);
			}
		}
		Map<Contestant, Sample> samples = new LinkedHashMap<>();
		logs.forEach((contestant, log) -> samples.put(contestant, log.sample(main())));
		return samples;
	}

	private void runBlock(Map<Contestant, TurnLog> logs, Variant variant, Bench bench) throws Exception {
		List<Place> places = new ArrayList<>();
		// no session is always the first one of the server
		for (Map.Entry<Contestant, TurnLog> next : Turns.shuffled(logs.entrySet(), this.random)) {
			places.add(new Place(player(next.getKey(), variant, bench), next.getValue()));
		}
		// nobody begins with the garbage of others
		System.gc();
		int turns = blocks(bench.effort()).turns();
		Turns.take(1 + turns / 10, places, this.random, (place) -> place.player().turn((nanos) -> {
		}));
		logs.values().forEach(TurnLog::beginBlock);
		Turns.take(turns, places, this.random, (place) -> place.log().add(place.player()));
	}

	private record Place(Player player, TurnLog log) {

	}

}
