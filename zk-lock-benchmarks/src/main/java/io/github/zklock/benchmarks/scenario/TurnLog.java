package io.github.zklock.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What one contestant did in all turns of a round.
 */
final class TurnLog {

	private final LongStream.Builder times = LongStream.builder();

	private final List<List<Double>> blocks = new ArrayList<>();

	void beginBlock() {
		this.blocks.add(new ArrayList<>());
	}

	/**
	 * Let it take a turn of the block that was begun last.
	 */
	void add(Player player) throws Exception {
		this.blocks.get(this.blocks.size() - 1).add(player.turn(this.times));
	}

	/**
	 * Return the numbers of the round. To be called once.
	 * @param main what the numbers of the turns mean
	 */
	Sample sample(Metric main) {
		double[] turns = this.blocks.stream().flatMap(List::stream).mapToDouble(Double::doubleValue).sorted().toArray();
		return Sample.ofTimes(this.times.build().toArray()).with(main, turns[turns.length / 2]).withBlocks(this.blocks);
	}

}
