package io.github.zklock.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.report.Results;
import io.github.zklock.benchmarks.scenario.Bench;
import io.github.zklock.benchmarks.scenario.Effort;
import io.github.zklock.benchmarks.scenario.Sample;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Scenarios;
import io.github.zklock.benchmarks.scenario.Servers;
import io.github.zklock.benchmarks.scenario.Variant;

/**
 * Runs everything in rounds. In each round all contestants are measured one right after
 * the other, each time in another order, so that what happens to the machine meanwhile
 * happens to all of them.
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
					contestants.forEach((contestant) -> steps.add(new Step(scenario, variant, contestant)));
				}
			}
		}
		return steps;
	}

	private List<Contestant> contestants(Scenario scenario, Variant variant) {
		List<Contestant> contestants = new ArrayList<>(Contestants.all());
		contestants.removeIf((contestant) -> !scenario.takes(contestant, variant, this.options.effort()));
		return contestants;
	}

	/**
	 * Let compilers and file systems warm up, on both sides. A cycle takes a millisecond,
	 * so it takes many threads to have the code compiled before it is measured.
	 */
	private void warmUp(Servers servers) {
		for (String name : List.of(Scenarios.MANY_LOCKS, Scenarios.HOT_SESSIONS, Scenarios.MANY_LOCKS)) {
			Scenario scenario = Scenarios.all()
				.stream()
				.filter((candidate) -> candidate.name().equals(name))
				.findFirst()
				.orElseThrow();
			Variant variant = new Variant("warm-up", WARM_UP_THREADS);
			contestants(scenario, variant).forEach((contestant) -> warmUp(scenario, variant, contestant, servers));
		}
	}

	private void warmUp(Scenario scenario, Variant variant, Contestant contestant, Servers servers) {
		this.progress.warmUp(contestant.name());
		try (Bench bench = new Bench(servers, this.options.effort(), "warm-up")) {
			scenario.run(contestant, variant, bench);
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
			Sample sample = step.scenario().run(step.contestant(), step.variant(), bench);
			this.results.add(step.cell(), round, sample);
			this.progress.end(sample);
		}
		catch (Exception ex) {
			// the others can still be compared
			this.results.addFailure(step.cell(), round, ex);
			this.progress.end(ex);
		}
	}

	/**
	 * One thing to measure.
	 */
	record Step(Scenario scenario, Variant variant, Contestant contestant) {

		Results.Cell cell() {
			return new Results.Cell(this.scenario.name(), this.variant.label(), this.contestant.name());
		}

	}

}
