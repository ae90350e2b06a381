package io.github.zklock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.report.Results.Cell;
import io.github.zklock.benchmarks.scenario.Effort;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Scenario;

/**
 * What was measured, for people and for programs.
 *
 * @param results the numbers
 * @param machine where they come from
 * @param scenarios what was measured
 * @param effort how much was done
 * @param servers on how many servers
 * @param fsync whether the servers waited for their disks
 * @param rounds in how many rounds
 * @param commandLine with which options
 */
public record Report(Results results, Machine machine, List<Scenario> scenarios, Effort effort, int servers,
		boolean fsync, int rounds, String commandLine) {

	private static final String MARKDOWN = "report.md";

	private static final String JSON = "report.json";

	/**
	 * Return whether something could not be measured.
	 * @return whether there are failures
	 */
	public boolean hasFailures() {
		return !this.results.failures().isEmpty();
	}

	/**
	 * Return what is worth a look at once.
	 * @return the tables of this library's targets and of all scenarios
	 */
	public String summary() {
		return new MarkdownReport(this).tables();
	}

	List<Target> targets() {
		return Targets.of(this.results);
	}

	/**
	 * Write everything.
	 * @param directory where to
	 * @throws IOException if that fails
	 */
	public void write(Path directory) throws IOException {
		Files.createDirectories(directory);
		Map<String, String> plots = new Plots(this).draw();
		for (Map.Entry<String, String> plot : plots.entrySet()) {
			Files.writeString(directory.resolve(plot.getKey()), plot.getValue());
		}
		Files.writeString(directory.resolve(MARKDOWN), new MarkdownReport(this).write(List.copyOf(plots.keySet())));
		Files.writeString(directory.resolve(JSON), Json.write(json()) + "\n");
	}

	private Map<String, Object> json() {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("options", this.commandLine);
		json.put("servers", this.servers);
		json.put("fsync", this.fsync);
		json.put("rounds", this.rounds);
		json.put("when", this.machine.when());
		json.put("processor", this.machine.processor());
		json.put("cores", this.machine.cores());
		json.put("load", this.machine.load());
		json.put("system", this.machine.system());
		json.put("java", this.machine.java());
		json.put("libraries", this.machine.libraries());
		json.put("targets", targets().stream().map(Report::json).toList());
		json.put("results", this.results.cells().stream().map(this::json).toList());
		json.put("failures", this.results.failures());
		return json;
	}

	private static Map<String, Object> json(Target target) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("what", target.what());
		json.put("target", target.goal());
		json.put("measured", target.measured());
		json.put("met", target.isMet());
		json.put("remark", target.remark());
		return json;
	}

	private Map<String, Object> json(Cell cell) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("scenario", cell.scenario());
		json.put("variant", cell.variant());
		json.put("contestant", cell.contestant());
		for (Metric metric : Metric.values()) {
			this.results.summary(cell, metric).ifPresent((summary) -> json.put(metric.name(), json(summary)));
		}
		List<Cell> others = Stream.concat(this.results.limit(cell).stream(), Stream.of(cell.of(Contestants.ZK_LOCK)))
			.toList();
		Map<String, Object> pairs = new LinkedHashMap<>();
		others.forEach((other) -> this.results.pairedRatio(cell, other)
			.ifPresent((ratio) -> pairs.put(other.contestant(), pairs(cell, other, ratio))));
		if (!pairs.isEmpty()) {
			json.put("pairedWith", pairs);
		}
		return json;
	}

	private Map<String, Object> pairs(Cell cell, Cell other, Estimate ratio) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("ratio", json(ratio));
		this.results.pairedDifference(cell, other).ifPresent((difference) -> json.put("difference", json(difference)));
		return json;
	}

	private static Map<String, Object> json(Estimate estimate) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("median", estimate.median());
		if (estimate.hasInterval()) {
			json.put("low", estimate.low());
			json.put("high", estimate.high());
		}
		return json;
	}

	private static Map<String, Object> json(Summary summary) {
		Map<String, Object> json = new LinkedHashMap<>();
		json.put("median", summary.median());
		json.put("min", summary.min());
		json.put("max", summary.max());
		return json;
	}

}
