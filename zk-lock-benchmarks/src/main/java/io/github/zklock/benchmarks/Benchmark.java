package io.github.zklock.benchmarks;

import java.io.IOException;

import io.github.zklock.benchmarks.report.Machine;
import io.github.zklock.benchmarks.report.Report;
import io.github.zklock.benchmarks.report.Results;

/**
 * Compares ways to lock with ZooKeeper, and writes a report.
 */
public final class Benchmark {

	private Benchmark() {
	}

	/**
	 * Run the comparison.
	 * @param args see {@link Options}
	 * @throws IOException if the report cannot be written
	 */
	public static void main(String[] args) throws IOException {
		Options options;
		try {
			options = Options.parse(args);
		}
		catch (IllegalArgumentException ex) {
			System.err.println(ex.getMessage());
			System.err.println(Options.USAGE);
			System.exit(2);
			return;
		}
		Report report = run(options);
		System.out.println(report.summary());
		System.out.println("Written to " + options.out().toAbsolutePath().normalize());
		// some clients leave threads behind
		System.exit(report.hasFailures() ? 1 : 0);
	}

	/**
	 * Run the comparison.
	 * @param options what to do
	 * @return the report, which has been written
	 * @throws IOException if it cannot be written
	 */
	static Report run(Options options) throws IOException {
		Machine machine = Machine.now();
		Results results = new Harness(options, System.out).run();
		Report report = new Report(results, machine, options.scenarios(), options.effort(), options.servers(),
				options.fsync(), options.rounds(), options.commandLine());
		report.write(options.out());
		return report;
	}

}
