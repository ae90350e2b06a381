package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.report.LineChart.Point;
import io.github.zklock.benchmarks.report.Results.Cell;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Scenarios;
import io.github.zklock.benchmarks.scenario.Variant;

/**
 * The plots of a report.
 */
final class Plots {

	private final Report report;

	private final Map<String, String> plots = new LinkedHashMap<>();

	Plots(Report report) {
		this.report = report;
	}

	/**
	 * Draw all plots for which there are numbers.
	 * @return SVG by file name
	 */
	Map<String, String> draw() {
		lines("queue-costs.svg", Scenarios.QUEUE_COSTS, Metric.REQUESTS, "Requests per acquisition", "waiting sessions",
				"requests per acquisition");
		lines("hot-lock.svg", Scenarios.HOT_LOCK, Metric.THROUGHPUT, "One hot lock in one process", "threads",
				"cycles per second");
		bars("uncontended.svg", Scenarios.UNCONTENDED,
				"A free lock: time relative to create and delete in the same turn");
		return this.plots;
	}

	private void lines(String file, String scenarioName, Metric metric, String title, String xAxis, String yAxis) {
		scenario(scenarioName).ifPresent((scenario) -> {
			Map<String, List<Point>> series = new LinkedHashMap<>();
			for (Contestant contestant : Contestants.all()) {
				List<Point> points = points(scenario, contestant, metric);
				if (!points.isEmpty()) {
					series.put(contestant.name(), points);
				}
			}
			if (!series.isEmpty()) {
				this.plots.put(file, new LineChart(title, xAxis, yAxis, series).svg());
			}
		});
	}

	private Optional<Scenario> scenario(String name) {
		return this.report.scenarios().stream().filter((scenario) -> scenario.name().equals(name)).findFirst();
	}

	private List<Point> points(Scenario scenario, Contestant contestant, Metric metric) {
		List<Point> points = new ArrayList<>();
		for (Variant variant : scenario.variants(this.report.effort())) {
			this.report.results()
				.summary(new Cell(scenario.name(), variant.label(), contestant.name()), metric)
				.filter((summary) -> summary.median() > 0)
				.ifPresent((summary) -> points.add(new Point(variant.size(), summary.median())));
		}
		return points;
	}

	/**
	 * Draw ratios to the limit of the same turn, with their intervals.
	 */
	private void bars(String file, String scenarioName, String title) {
		Results results = this.report.results();
		Map<String, Summary> bars = new LinkedHashMap<>();
		for (Contestant contestant : Contestants.all()) {
			results.cells()
				.stream()
				.filter((cell) -> cell.scenario().equals(scenarioName) && cell.contestant().equals(contestant.name()))
				.findFirst()
				.flatMap((cell) -> results.limit(cell).flatMap((limit) -> results.pairedRatio(cell, limit)))
				.ifPresent((ratio) -> bars.put(contestant.name(), bar(ratio)));
		}
		if (!bars.isEmpty()) {
			this.plots.put(file, new BarChart(title, bars).svg());
		}
	}

	private static Summary bar(Estimate ratio) {
		return ratio.hasInterval() ? new Summary(ratio.median(), ratio.low(), ratio.high())
				: new Summary(ratio.median(), ratio.median(), ratio.median());
	}

}
