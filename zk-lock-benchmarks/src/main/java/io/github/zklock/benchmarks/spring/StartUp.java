package io.github.zklock.benchmarks.spring;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.github.zklock.embedded.EmbeddedZooKeeper;

/**
 * The start of applications, each in a JVM of its own.
 */
final class StartUp {

	private final int rounds;

	StartUp(int rounds) {
		this.rounds = rounds;
	}

	List<Measured> measure() throws IOException, InterruptedException {
		Measured without = new Measured("without the starter");
		Measured with = new Measured("with the starter, unused");
		Measured used = new Measured("with one annotated method");
		String everything = System.getProperty("java.class.path");
		String rest = withoutStarter(everything);
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew()) {
			for (int round = 0; round < this.rounds; round++) {
				without.add(start(rest, EmptyApplication.class, server));
				with.add(start(everything, EmptyApplication.class, server));
				used.add(start(everything, LockingApplication.class, server));
			}
		}
		return List.of(without, with, used);
	}

	private static String withoutStarter(String classPath) {
		return Arrays.stream(classPath.split(File.pathSeparator))
			.filter((entry) -> !entry.contains("zk-lock-autoconfigure"))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static double start(String classPath, Class<?> application, EmbeddedZooKeeper server)
			throws IOException, InterruptedException {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				classPath, application.getName(), "--zk.lock.connect-string=" + server.connectString(),
				"--spring.main.banner-mode=off")
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.waitFor() != 0) {
			throw new IllegalStateException("%s has failed:%n%s".formatted(application.getName(), output));
		}
		return output.lines()
			.filter((line) -> line.startsWith(EmptyApplication.READY))
			.mapToDouble((line) -> Double.parseDouble(line.substring(EmptyApplication.READY.length())))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(output));
	}

}
