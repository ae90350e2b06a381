package io.github.zklock.benchmarks.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.github.zklock.benchmarks.report.Machine;

import org.springframework.boot.SpringBootVersion;

/**
 * Measures what an annotated call costs when its thread holds the lock already, what a
 * lock within one process costs, and what the starter adds to the start-up time of an
 * application, and writes a report.
 */
public final class SpringBenchmark {

	private static final int DEFAULT_ROUNDS = 15;

	private SpringBenchmark() {
	}

	/**
	 * Run the measurements.
	 * @param args {@code --rounds N}, {@code --out DIR}
	 * @throws Exception if something cannot be measured
	 */
	public static void main(String[] args) throws Exception {
		List<String> options = List.of(args);
		int rounds = options.contains("--rounds") ? Integer.parseInt(valueOf(options, "--rounds")) : DEFAULT_ROUNDS;
		String report = run(rounds);
		System.out.println(report);
		if (options.contains("--out")) {
			write(report, Path.of(valueOf(options, "--out")));
		}
	}

	private static String valueOf(List<String> options, String name) {
		return options.get(options.indexOf(name) + 1);
	}

	static String run(int rounds) throws Exception {
		Machine machine = Machine.now();
		System.out.println("Calls:");
		List<Measured> calls = new CallCosts(rounds).measure();
		System.out.println("Locks within one process:");
		List<Measured> local = new LocalCosts(rounds).measure();
		System.out.println("Start-up:");
		List<Measured> startUps = new StartUp(rounds).measure();
		return """
				# The cost of the annotations and of the starter

				Made by `./mvnw -q -pl zk-lock-benchmarks -am test-compile exec:exec -Dbenchmark.main=%s -Dbenchmark.args="--rounds %d"`
				on %s: %s, %d cores, %s, %s, Spring Boot %s.

				Medians of %d rounds, in which all were measured one after the other; in brackets the lowest and the highest.

				## A call whose thread holds the lock already

				| | ns per call | more than through the plain proxy |
				| --- | --- | --- |
				%s
				The plain proxy has one interceptor, which does nothing. The others have that of `@DistributedLock`.

				## A free lock and its release within one process (`zk.lock.type=local`)

				| | ns for both | more than the JDK's lock |
				| --- | --- | --- |
				%s
				## Start-up of an application with nothing else

				| | ms until it is ready, as Spring Boot tells | more than without the starter |
				| --- | --- | --- |
				%s
				Each start is a new JVM. "With one annotated method" includes the connection to a ZooKeeper on the same machine, as far as
				start-up waits for it: it does not.
				"""
			.formatted(SpringBenchmark.class.getName(), rounds, machine.when(), machine.processor(), machine.cores(),
					machine.system(), machine.java(), SpringBootVersion.getVersion(), rounds, Measured.table(calls),
					Measured.table(local), Measured.table(startUps));
	}

	private static void write(String report, Path out) throws IOException {
		Path file = Files.createDirectories(out.resolve("spring")).resolve("report.md");
		Files.writeString(file, report);
		System.out.println("Written to " + file.toAbsolutePath().normalize());
	}

}
