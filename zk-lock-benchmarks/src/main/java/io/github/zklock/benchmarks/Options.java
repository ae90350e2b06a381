package io.github.zklock.benchmarks;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.contestant.Contestants;
import io.github.zklock.benchmarks.scenario.Effort;
import io.github.zklock.benchmarks.scenario.Scenario;
import io.github.zklock.benchmarks.scenario.Scenarios;

/**
 * What the command line says.
 *
 * @param servers how many ZooKeeper servers to start
 * @param fsync whether the servers wait for their disks
 * @param rounds in how many rounds to measure
 * @param effort how much to do in each
 * @param scenarios what to measure
 * @param contestants whom to measure
 * @param out where to write the report
 * @param commandLine the options as they were given
 */
public record Options(int servers, boolean fsync, int rounds, Effort effort, List<Scenario> scenarios,
		List<Contestant> contestants, Path out, String commandLine) {

	static final String USAGE = """
			Options:
			  --ensemble         three servers instead of one
			  --no-fsync         servers do not wait for their disks, where these are shared or slow
			  --rounds N         how often to measure everything (5)
			  --quick            one round of everything, as short as possible: numbers mean nothing
			  --scenarios a,b    only some of: %s
			  --contestants a,b  only some of: %s
			  --out DIR          where to write, in a directory 'single' or 'ensemble' (docs/benchmarks)
			""".formatted(String.join(", ", Scenarios.all().stream().map(Scenario::name).toList()),
			String.join(", ", Contestants.all().stream().map(Contestant::shortName).toList()));

	/**
	 * Parse a command line.
	 * @param args the arguments
	 * @return the options
	 * @throws IllegalArgumentException if there are others
	 */
	public static Options parse(String... args) {
		Deque<String> left = new ArrayDeque<>(List.of(args));
		int servers = 1;
		boolean fsync = true;
		int rounds = 5;
		Effort effort = Effort.FULL;
		List<Scenario> scenarios = Scenarios.all();
		List<Contestant> contestants = Contestants.all();
		Path out = Path.of("docs", "benchmarks");
		while (!left.isEmpty()) {
			String option = left.remove();
			switch (option) {
				case "--ensemble" -> servers = 3;
				case "--no-fsync" -> fsync = false;
				case "--quick" -> {
					fsync = false;
					effort = Effort.QUICK;
					rounds = 1;
				}
				case "--rounds" -> rounds = Integer.parseInt(value(option, left));
				case "--scenarios" -> scenarios = scenarios(value(option, left));
				case "--contestants" -> contestants = contestants(value(option, left));
				case "--out" -> out = Path.of(value(option, left));
				default -> throw new IllegalArgumentException("Unknown option '%s'".formatted(option));
			}
		}
		return new Options(servers, fsync, rounds, effort, scenarios, contestants,
				out.resolve((servers == 1) ? "single" : "ensemble"), shown(args));
	}

	/**
	 * Return what makes a difference to the numbers.
	 */
	private static String shown(String... args) {
		return String.join(" ", args).replaceAll("--out \\S+ ?", "").strip();
	}

	private static String value(String option, Deque<String> left) {
		if (left.isEmpty()) {
			throw new IllegalArgumentException("'%s' needs a value".formatted(option));
		}
		return left.remove();
	}

	private static List<Scenario> scenarios(String names) {
		return List.of(names.split(",", -1)).stream().map(Options::scenario).toList();
	}

	private static List<Contestant> contestants(String names) {
		List<String> wanted = List.of(names.split(",", -1));
		List<String> all = Contestants.all().stream().map(Contestant::shortName).toList();
		wanted.stream().filter((name) -> !all.contains(name)).findFirst().ifPresent((name) -> {
			throw new IllegalArgumentException("Unknown contestant '%s'".formatted(name));
		});
		return Contestants.all().stream().filter((contestant) -> wanted.contains(contestant.shortName())).toList();
	}

	private static Scenario scenario(String name) {
		return Scenarios.all()
			.stream()
			.filter((scenario) -> scenario.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown scenario '%s'".formatted(name)));
	}

}
