package io.github.zklock.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.report.Results;
import io.github.zklock.benchmarks.scenario.Bench;
import io.github.zklock.benchmarks.scenario.Effort;
import io.github.zklock.benchmarks.scenario.Metric;
import io.github.zklock.benchmarks.scenario.Sample;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Scenarios;
import io.github.zklock.benchmarks.scenario.Servers;
import io.github.zklock.benchmarks.scenario.Variant;

/**
 * Runs everything in rounds. In each round all contestants are measured in turns, or one
 * right after the other, each time in another order, so that what happens to the machine
 * meanwhile happens to all of them.
 */
final class Harness {

	private static final int WARM_UP_THREADS = 16;

	private final Options options;

	private final Progress progress;

	private final Results results = new Results();

	Harness(Options options, PrintStream out) {
		this.options = options;
		int steps = 0;
		for (int round = 0; round < options.rounds(); round++) {
			steps += plan(round).size();
		}
		this.progress = new Progress(steps, options.rounds(), out);
	}

	/**
	 * Run everything.
	 * @return what was measured
	 */
	Results run() {
		try (Servers servers = Servers.start(this.options.servers(), this.options.effort().tick(),
				this.options.fsync())) {
			warmUp(servers);
			for (int round = 0; round < this.options.rounds(); round++) {
				for (Step step : plan(round)) {
					run(step, round, servers);
				}
			}
		}
		return this.results;
	}

	private List<Step> plan(int round) {
		List<Step> steps = new ArrayList<>();
		for (Scenario scenario : this.options.scenarios()) {
			if (round < scenario.rounds(this.options.rounds())) {
				for (Variant variant : scenario.variants(this.options.effort())) {
					List<Contestant> contestants = contestants(scenario, variant);
					Collections.rotate(contestants, -round);
					groups(scenario, contestants).forEach((group) -> steps.add(new Step(scenario, variant, group)));
				}
			}
		}
		return steps;
	}

	/**
	 * Return who is measured together.
	 */
	private static List<List<Contestant>> groups(Scenario scenario, List<Contestant> contestants) {
		if (scenario.isPaired() && !contestants.isEmpty()) {
			return List.of(contestants);
		}
		return contestants.stream().map(List::of).toList();
	}

	private List<Contestant> contestants(Scenario scenario, Variant variant) {
		List<Contestant> contestants = new ArrayList<>(this.options.contestants());
		contestants.removeIf((contestant) -> !scenario.takes(contestant, variant, this.options.effort()));
		return contestants;
	}

	/**
	 * Let compilers and file systems warm up, on both sides. A cycle takes a millisecond,
	 * so it takes many threads to have the code compiled before it is measured; and it
	 * takes the same number of cycles on a slow machine as on a fast one.
	 */
	private void warmUp(Servers servers) {
		int cycles = this.options.effort().warmUpCycles();
		warmUp(Scenarios.HOT_SESSIONS, 1 + cycles / 2, servers);
		warmUp(Scenarios.MANY_LOCKS, cycles, servers);
	}

	private void warmUp(String name, int cycles, Servers servers) {
		Scenario scenario = Scenarios.all()
			.stream()
			.filter((candidate) -> candidate.name().equals(name))
			.findFirst()
			.orElseThrow();
		Variant variant = new Variant("warm-up", WARM_UP_THREADS);
		for (Contestant contestant : contestants(scenario, variant)) {
			this.progress.warmUp(contestant.name());
			double done = 0;
			while (done < cycles) {
				done += cycles(scenario, variant, contestant, servers);
			}
		}
	}

	private double cycles(Scenario scenario, Variant variant, Contestant contestant, Servers servers) {
		Effort effort = this.options.effort();
		try (Bench bench = new Bench(servers, effort, "warm-up")) {
			Sample sample = scenario.run(contestant, variant, bench);
			double throughput = sample.values().getOrDefault(Metric.THROUGHPUT, 0.0);
			return Math.max(1, throughput * effort.window().toMillis() / 1_000);
		}
		catch (Exception ex) {
			throw new IllegalStateException("%s cannot be warmed up".formatted(contestant.name()), ex);
		}
	}

	private void run(Step step, int round, Servers servers) {
		this.progress.begin(step, round);
		Effort effort = this.options.effort();
		String lockName = "%s-%d-%d".formatted(step.scenario().name(), this.progress.step(), round);
		try (Bench bench = new Bench(servers, effort, lockName)) {
			Map<Contestant, Sample> samples = step.scenario().run(step.contestants(), step.variant(), bench);
			samples.forEach((contestant, sample) -> this.results.add(step.cell(contestant), round, sample));
			this.progress.end(samples);
		}
		catch (Exception ex) {
			// the others can still be compared
			step.contestants().forEach((contestant) -> this.results.addFailure(step.cell(contestant), round, ex));
			this.progress.end(ex);
		}
	}

	/**
	 * One thing to measure, of one contestant or of all that take turns.
	 */
	record Step(Scenario scenario, Variant variant, List<Contestant> contestants) {

		Results.Cell cell(Contestant contestant) {
			return new Results.Cell(this.scenario.name(), this.variant.label(), contestant.name());
		}

	}

}
