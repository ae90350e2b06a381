package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.report.Results.Cell;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Scenarios;

/**
 * What zk-lock set out to reach, and what it has reached. What was not measured is left
 * out.
 */
final class Targets {

	private final Results results;

	private final List<Target> targets = new ArrayList<>();

	private Targets(Results results) {
		this.results = results;
	}

	static List<Target> of(Results results) {
		Targets targets = new Targets(results);
		targets.compare();
		return List.copyOf(targets.targets);
	}

	private void compare() {
		ofZkLock(Scenarios.UNCONTENDED, (variant) -> true)
			.forEach((cell) -> pairedRatioToLimit("a free lock, cycle / raw cycle of the same turn", cell, 1.10));
		ofZkLock(Scenarios.LONG_WAY, (variant) -> true).forEach((cell) -> pairedRatioToLimit(
				"a free lock with 10 ms per round trip, cycle / raw cycle of the same turn", cell, 1.05));
		ofZkLock(Scenarios.PACKETS, (variant) -> variant.startsWith("lock and"))
			.forEach((cell) -> count(cell, Metric.REQUESTS, 3));
		ofZkLock(Scenarios.PACKETS, (variant) -> variant.startsWith("enter") || variant.endsWith("same process"))
			.forEach((cell) -> count(cell, Metric.REQUESTS, 0));
		ofZkLock(Scenarios.MANY_LOCKS, (variant) -> variant.startsWith("16 "))
			.forEach((cell) -> ratioToLimit("16 threads, 16 locks, one session, throughput / raw", cell,
					Metric.THROUGHPUT, 0.75, true));
		ofZkLock(Scenarios.HOT_LOCK, (variant) -> variant.startsWith("32 "))
			.forEach((cell) -> ratio("32 threads of one process on one lock, throughput / Curator", cell,
					cell.of(Contestants.CURATOR), Metric.THROUGHPUT, 50, true, ""));
		ofZkLock(Scenarios.HOT_SESSIONS, (variant) -> variant.startsWith("8 ")).forEach(
				(cell) -> pairedRatioToBestOther("8 sessions on one lock, throughput / best other in the same turn",
						cell, 1));
		ofZkLock(Scenarios.QUEUE_COSTS, (variant) -> true).forEach((cell) -> {
			count(cell, Metric.REQUESTS, 5);
			count(cell, Metric.EVENTS, 1);
		});
		ofZkLock(Scenarios.LOCAL_READERS, (variant) -> variant.startsWith("5000 ")).forEach((cell) -> {
			count(cell, Metric.BYTES_IN, 20_000_000);
			count(cell, Metric.LOST, 0);
			worst(cell, Metric.DELAY, 200);
		});
		ofZkLock(Scenarios.OUTAGE, (variant) -> true).forEach((cell) -> {
			worst(cell, Metric.AFTER_RETURN, 3_000);
			worst(cell, Metric.AFTER_CONNECT, 1_000);
		});
		ofZkLock(Scenarios.MEMORY, (variant) -> variant.startsWith("held"))
			.forEach((cell) -> count(cell, Metric.HEAP, 1_000));
	}

	private List<Cell> ofZkLock(String scenario, Predicate<String> variant) {
		return this.results.cells()
			.stream()
			.filter((cell) -> cell.contestant().equals(Contestants.ZK_LOCK) && cell.scenario().equals(scenario)
					&& variant.test(cell.variant()))
			.toList();
	}

	private void count(Cell cell, Metric metric, double limit) {
		String unit = cell.scenario().equals(Scenarios.QUEUE_COSTS) ? " per acquisition, " : ", ";
		String what = metric.label() + unit + cell.variant()
				+ (cell.scenario().equals(Scenarios.QUEUE_COSTS) ? " waiting" : "");
		this.results.summary(cell, metric)
			.ifPresent((summary) -> this.targets.add(new Target(what, limit, false, summary.median(), "")));
	}

	/**
	 * A number that no round may exceed.
	 */
	private void worst(Cell cell, Metric metric, double limit) {
		this.results.summary(cell, metric)
			.ifPresent((summary) -> this.targets
				.add(new Target("%s [%s], %s".formatted(metric.label(), metric.unit(), cell.variant()), limit, false,
						summary.max(), "worst round")));
	}

	private void ratioToLimit(String what, Cell cell, Metric metric, double limit, boolean atLeast) {
		this.results.limit(cell).ifPresent((raw) -> ratio(what, cell, raw, metric, limit, atLeast, ""));
	}

	private void pairedRatioToLimit(String what, Cell cell, double limit) {
		this.results.limit(cell)
			.flatMap((raw) -> this.results.pairedRatio(cell, raw))
			.ifPresent((ratio) -> paired(what, limit, false, ratio, ""));
	}

	/**
	 * Compare with whoever does best beside zk-lock in the same turns.
	 */
	private void pairedRatioToBestOther(String what, Cell cell, double limit) {
		Map<Cell, Estimate> ratios = new LinkedHashMap<>();
		Contestants.all()
			.stream()
			.filter((contestant) -> !contestant.isLimit() && !contestant.name().equals(Contestants.ZK_LOCK))
			.map((contestant) -> cell.of(contestant.name()))
			.forEach((other) -> this.results.pairedRatio(cell, other).ifPresent((ratio) -> ratios.put(other, ratio)));
		ratios.entrySet()
			.stream()
			.min(Comparator.comparingDouble((ratio) -> ratio.getValue().median()))
			.ifPresent((least) -> paired(what, limit, true, least.getValue(),
					"best other: %s, ".formatted(least.getKey().contestant())));
	}

	private void paired(String what, double limit, boolean atLeast, Estimate ratio, String remark) {
		String interval = ratio.hasInterval()
				? "95 %% interval %s..%s".formatted(Numbers.format(ratio.low()), Numbers.format(ratio.high()))
				: "too few blocks for an interval";
		this.targets.add(new Target(what, limit, atLeast, ratio.median(), remark + interval));
	}

	private void ratio(String what, Cell cell, Cell other, Metric metric, double limit, boolean atLeast,
			String remark) {
		this.results.ratio(cell, other, metric)
			.ifPresent((ratio) -> this.targets.add(new Target(what, limit, atLeast, ratio.median(),
					(remark + " spread " + Numbers.format(ratio.min()) + ".." + Numbers.format(ratio.max())).strip())));
	}

}
