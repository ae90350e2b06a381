package io.github.zklock.benchmarks.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.report.Results.Cell;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Variant;

/**
 * A report for people.
 */
final class MarkdownReport {

	private final Report report;

	private final StringBuilder text = new StringBuilder();

	MarkdownReport(Report report) {
		this.report = report;
	}

	/**
	 * Write the whole report.
	 */
	String write(List<String> plots) {
		line("# Benchmarks, " + ((this.report.servers() == 1) ? "one server" : this.report.servers() + " servers"));
		line("");
		line("Made by this command, from the root of the project:");
		line("");
		line("```");
		line("./mvnw -q -pl zk-lock-benchmarks -am test-compile exec:exec -Dbenchmark.args=\"%s\""
			.formatted(this.report.commandLine()));
		line("```");
		line("");
		machine();
		plots.forEach((plot) -> {
			line("");
			line("![%s](%s)".formatted(plot.replace(".svg", ""), plot));
		});
		tables();
		if (this.report.hasFailures()) {
			line("");
			line("## Failures");
			line("");
			this.report.results().failures().forEach((failure) -> line("- " + failure));
		}
		return this.text.toString();
	}

	private void machine() {
		Machine machine = this.report.machine();
		line("Measured on %s: %s, %d cores, load %s at the start; %s; %s; %s. The servers are processes on the same machine, and %s for their disks."
			.formatted(machine.when(), machine.processor(), machine.cores(), Numbers.format(machine.load()),
					machine.system(), machine.java(), String.join(", ", machine.libraries()),
					this.report.fsync() ? "wait" : "do not wait"));
		line("");
		line("Times, throughputs and ratios are medians of up to %d rounds, with the lowest and highest round in brackets. "
			.formatted(this.report.rounds())
				+ "\"/ limit\" compares with the raw limit in the same round. What is \"paired\" compares turn by turn: it is the "
				+ "median, and in brackets its 95 % interval, if there were enough rounds. [How it is measured](../README.md).");
	}

	/**
	 * Write the tables only.
	 */
	String tables() {
		targets();
		this.report.scenarios().forEach(this::scenario);
		return this.text.toString();
	}

	private void targets() {
		List<Target> targets = this.report.targets();
		if (!targets.isEmpty()) {
			line("");
			line("## Targets of zk-lock");
			line("");
			row("what", "target", "measured", "", "");
			row("---", "---", "---", "---", "---");
			targets.forEach((target) -> row(target.what(), target.goal(), Numbers.format(target.measured()),
					target.isMet() ? target.verdict() : "**" + target.verdict() + "**", target.remark()));
		}
	}

	private void scenario(Scenario scenario) {
		line("");
		line("## " + scenario.title());
		line("");
		line(scenario.about());
		line("");
		List<Variant> variants = scenario.variants(this.report.effort());
		List<Metric> metrics = Arrays.stream(Metric.values())
			.filter((metric) -> this.report.results()
				.cells()
				.stream()
				.anyMatch((cell) -> cell.scenario().equals(scenario.name())
						&& this.report.results().summary(cell, metric).isPresent()))
			.toList();
		heading(scenario, metrics);
		for (Variant variant : variants) {
			Contestants.all()
				.stream()
				.map((contestant) -> new Cell(scenario.name(), variant.label(), contestant.name()))
				.filter(this.report.results().cells()::contains)
				.forEach((cell) -> row(scenario, cell, metrics));
		}
	}

	private void heading(Scenario scenario, List<Metric> metrics) {
		List<String> cells = new ArrayList<>(List.of("", ""));
		metrics.forEach((metric) -> cells
			.add(metric.unit().isEmpty() ? metric.label() : "%s [%s]".formatted(metric.label(), metric.unit())));
		if (scenario.isPaired()) {
			pairedHeading(scenario.main(), cells);
		}
		else if (!scenario.main().isCount()) {
			cells.add(scenario.main().label() + " / limit");
		}
		row(cells.toArray(String[]::new));
		row(cells.stream().map((cell) -> cell.isEmpty() ? "---" : "---:").toArray(String[]::new));
	}

	private void row(Scenario scenario, Cell cell, List<Metric> metrics) {
		boolean own = cell.contestant().equals(Contestants.ZK_LOCK);
		List<String> cells = new ArrayList<>(
				List.of(cell.variant(), own ? "**" + cell.contestant() + "**" : cell.contestant()));
		for (Metric metric : metrics) {
			cells.add(this.report.results().summary(cell, metric).map(Numbers::format).orElse(""));
		}
		if (scenario.isPaired()) {
			pairs(scenario.main(), cell, cells);
		}
		else if (!scenario.main().isCount()) {
			cells.add(this.report.results()
				.limit(cell)
				.flatMap((limit) -> this.report.results().ratio(cell, limit, scenario.main()))
				.map(Numbers::format)
				.orElse(""));
		}
		row(cells.toArray(String[]::new));
	}

	private static void pairedHeading(Metric main, List<String> cells) {
		if (!main.isHigherBetter()) {
			cells.add("- limit, paired [%s]".formatted(main.unit()));
		}
		cells.add("/ limit, paired");
		cells.add("%s / this, paired".formatted(Contestants.ZK_LOCK));
	}

	private void pairs(Metric main, Cell cell, List<String> cells) {
		Results results = this.report.results();
		Optional<Cell> limit = results.limit(cell);
		if (!main.isHigherBetter()) {
			cells.add(format(limit.flatMap((raw) -> results.pairedDifference(cell, raw))));
		}
		cells.add(format(limit.flatMap((raw) -> results.pairedRatio(cell, raw))));
		cells.add(format(results.pairedRatio(cell.of(Contestants.ZK_LOCK), cell)));
	}

	private static String format(Optional<Estimate> estimate) {
		return estimate.map(Numbers::format).orElse("");
	}

	private void row(String... cells) {
		line(Arrays.stream(cells).collect(Collectors.joining(" | ", "| ", " |")));
	}

	private void line(String line) {
		this.text.append(line).append('\n');
	}

}
