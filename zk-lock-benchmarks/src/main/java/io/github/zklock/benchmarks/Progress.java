package io.github.zklock.benchmarks;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.zklock.benchmarks.contestant.Contestant;
import io.github.zklock.benchmarks.scenario.Sample;

/**
 * Tells whoever waits how far things are.
 */
final class Progress {

	private final int steps;

	private final int rounds;

	private final PrintStream out;

	private final long start = System.nanoTime();

	private int step;

	Progress(int steps, int rounds, PrintStream out) {
		this.steps = steps;
		this.rounds = rounds;
		this.out = out;
	}

	int step() {
		return this.step;
	}

	void warmUp(String contestant) {
		this.out.println("warming up " + contestant);
	}

	void begin(Harness.Step next, int round) {
		this.step++;
		this.out.printf(Locale.ROOT, "[%d/%d%s] round %d/%d %s, %s, %s: ", this.step, this.steps, timeLeft(), round + 1,
				this.rounds, next.scenario().name(), next.variant().label(),
				next.contestants().stream().map(Contestant::name).collect(Collectors.joining(" | ")));
		this.out.flush();
	}

	private String timeLeft() {
		int done = this.step - 1;
		if (done == 0) {
			return "";
		}
		long nanos = (System.nanoTime() - this.start) / done * (this.steps - done);
		return ", about %d min left".formatted(Duration.ofNanos(nanos).toMinutes() + 1);
	}

	void end(Map<Contestant, Sample> samples) {
		this.out.println(samples.values().stream().map(Progress::format).collect(Collectors.joining(" | ")));
	}

	private static String format(Sample sample) {
		return sample.values()
			.entrySet()
			.stream()
			.sorted((one, other) -> one.getKey().compareTo(other.getKey()))
			.map((entry) -> String.format(Locale.ROOT, "%s %.4g %s", entry.getKey().label(), entry.getValue(),
					entry.getKey().unit()))
			.map(String::strip)
			.collect(Collectors.joining(", "));
	}

	void end(Exception failure) {
		this.out.println("FAILED: " + failure);
	}

}
