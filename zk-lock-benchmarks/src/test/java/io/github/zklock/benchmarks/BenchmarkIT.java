package io.github.zklock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.report.Report;
import io.github.zklock.benchmarks.report.Results;
import io.github.zklock.benchmarks.report.Results.Cell;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Scenarios;
import io.github.zklock.benchmarks.scenario.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One short run of everything. Times mean nothing here, but what is counted is the same
 * on every machine.
 */
@TestInstance(Lifecycle.PER_CLASS)
class BenchmarkIT {

	private final Path directory;

	private final Options options;

	private final Report report;

	BenchmarkIT(@TempDir Path out) throws IOException {
		this.options = Options.parse("--quick", "--out", out.toString());
		this.directory = out.resolve("single");
		this.report = Benchmark.run(this.options);
	}

	private Results results() {
		return this.report.results();
	}

	private double count(String scenario, String variant, String contestant, Metric metric) {
		return results().summary(new Cell(scenario, variant, contestant), metric).orElseThrow().median();
	}

	private double requests(String operation, String contestant) {
		return count(Scenarios.PACKETS, operation, contestant, Metric.REQUESTS);
	}

	private List<String> contestants(String scenario) {
		return results().cells()
			.stream()
			.filter((cell) -> cell.scenario().equals(scenario))
			.map(Cell::contestant)
			.distinct()
			.toList();
	}

	@Test
	void everythingIsMeasured() {
		assertThat(results().failures()).isEmpty();
		for (Scenario scenario : Scenarios.all()) {
			for (Variant variant : scenario.variants(this.options.effort())) {
				for (Contestant contestant : Contestants.all()) {
					if (scenario.takes(contestant, variant, this.options.effort())) {
						Cell cell = new Cell(scenario.name(), variant.label(), contestant.name());
						assertThat(results().summary(cell, scenario.main())).as(cell.toString()).isPresent();
					}
				}
			}
		}
	}

	@Test
	void contestantsTakePartWhereTheyCan() {
		assertThat(contestants("uncontended")).containsExactlyInAnyOrder("raw create+delete", "raw flight", "zk-lock",
				"Curator", "Spring Integration", "ShedLock", "naive recipe", "herd lock");
		assertThat(contestants("hot-sessions")).containsExactlyInAnyOrder("raw hand-over", "zk-lock", "Curator",
				"Spring Integration", "naive recipe", "herd lock");
		assertThat(contestants("read-mostly")).containsExactlyInAnyOrder("raw create+delete", "zk-lock", "Curator");
		assertThat(contestants("leader-crash")).containsExactlyInAnyOrder("raw hand-over", "zk-lock", "Curator",
				"naive recipe");
		assertThat(contestants("local-readers")).containsExactlyInAnyOrder("zk-lock", "Curator");
		assertThat(contestants("outage")).containsExactly("zk-lock");
		assertThat(contestants("memory")).containsExactlyInAnyOrder("zk-lock", "Curator", "Spring Integration");
	}

	@Test
	void timesAndThroughputsArePositive() {
		for (Cell cell : results().cells()) {
			for (Metric metric : List.of(Metric.P50, Metric.P99, Metric.THROUGHPUT, Metric.TOTAL,
					Metric.SESSION_TIMEOUTS)) {
				results().summary(cell, metric)
					.ifPresent((summary) -> assertThat(summary.min()).as("%s of %s", metric, cell).isPositive());
			}
		}
	}

	@Test
	void thoseWhoTakeTurnsHavePairs() {
		for (Scenario scenario : Scenarios.all()) {
			for (Cell cell : results().cells()) {
				if (cell.scenario().equals(scenario.name())) {
					Cell own = new Cell(cell.scenario(), cell.variant(), Contestants.ZK_LOCK);
					assertThat(results().pairedRatio(own, cell).isPresent()).as(cell.toString())
						.isEqualTo(scenario.isPaired());
				}
			}
		}
		assertThat(Scenarios.all().stream().filter(Scenario::isPaired)).extracting(Scenario::name)
			.containsExactly("uncontended", "long-way", "hot-sessions");
	}

	@Test
	void packetsAreCounted() {
		assertThat(requests("lock and unlock", "raw create+delete")).isEqualTo(2);
		assertThat(requests("lock and unlock", "raw flight")).isEqualTo(3);
		assertThat(requests("lock and unlock", "zk-lock")).isEqualTo(3);
		assertThat(requests("lock and unlock", "Curator")).isEqualTo(3);
		assertThat(requests("lock and unlock", "naive recipe")).isEqualTo(3);
		assertThat(requests("lock and unlock", "herd lock")).isEqualTo(2);
		assertThat(requests("enter again and leave", "zk-lock")).isZero();
		assertThat(requests("zero-wait refusal, same process", "zk-lock")).isZero();
		assertThat(requests("zero-wait refusal, same process", "Curator")).isPositive();
		assertThat(requests("zero-wait refusal, other process", "zk-lock")).isEqualTo(2);
		assertThat(requests("zero-wait refusal, other process", "raw hand-over")).isEqualTo(1);
	}

	@Test
	void packetsOfQueueAreCounted() {
		String variant = "10 sessions";
		assertThat(count(Scenarios.QUEUE_COSTS, variant, "raw hand-over", Metric.REQUESTS)).isEqualTo(3);
		assertThat(count(Scenarios.QUEUE_COSTS, variant, "naive recipe", Metric.REQUESTS)).isEqualTo(5);
		assertThat(count(Scenarios.QUEUE_COSTS, variant, "zk-lock", Metric.REQUESTS)).isBetween(4.0, 5.0);
		for (String contestant : List.of("raw hand-over", "naive recipe", "zk-lock", "Curator")) {
			assertThat(count(Scenarios.QUEUE_COSTS, variant, contestant, Metric.EVENTS)).as(contestant).isEqualTo(1);
			assertThat(count(Scenarios.QUEUE_COSTS, variant, contestant, Metric.BYTES_IN)).as(contestant).isPositive();
			assertThat(count(Scenarios.QUEUE_COSTS, variant, contestant, Metric.BYTES_OUT)).as(contestant).isPositive();
		}
		assertThat(count(Scenarios.QUEUE_COSTS, variant, "herd lock", Metric.EVENTS)).as("each release wakes everybody")
			.isGreaterThan(2);
	}

	@Test
	void readersOfOneProcessShareWhatTheyRead() {
		String variant = "20 readers";
		assertThat(count(Scenarios.LOCAL_READERS, variant, "zk-lock", Metric.LOST)).isZero();
		assertThat(count(Scenarios.LOCAL_READERS, variant, "zk-lock", Metric.REQUESTS)).isGreaterThan(20)
			.isLessThan(count(Scenarios.LOCAL_READERS, variant, "Curator", Metric.REQUESTS));
	}

	@Test
	void reportIsWritten() throws Exception {
		assertThat(this.directory).isDirectoryContaining("glob:**/report.json").isDirectoryContaining("glob:**/*.svg");
		String text = Files.readString(this.directory.resolve("report.md"));
		assertThat(text).contains("-Dbenchmark.args=\"--quick\"", "## Targets of zk-lock");
		for (Scenario scenario : Scenarios.all()) {
			assertThat(text).contains("## " + scenario.title());
		}
		for (String plot : List.of("queue-costs.svg", "hot-lock.svg", "uncontended.svg")) {
			assertThat(text).contains("](" + plot + ")");
			DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(this.directory.resolve(plot).toFile());
		}
	}

}
