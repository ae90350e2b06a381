package io.github.zklock.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

import net.javacrumbs.shedlock.provider.zookeeper.curator.ZookeeperCuratorLockProvider;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.ZooKeeper;
import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Where and with what things were measured.
 *
 * @param when when it began
 * @param processor the processor's name
 * @param cores how many cores the JVM may use
 * @param load the load when it began, or a negative number
 * @param system the operating system
 * @param java the JVM
 * @param libraries the libraries with their versions
 */
public record Machine(Instant when, String processor, int cores, double load, String system, String java,
		List<String> libraries) {

	private static final Path CPUINFO = Path.of("/proc/cpuinfo");

	/**
	 * Look at this machine.
	 * @return what it is
	 * @throws IOException if it does not tell
	 */
	public static Machine now() throws IOException {
		return new Machine(Instant.now().truncatedTo(ChronoUnit.SECONDS), processorName(),
				Runtime.getRuntime().availableProcessors(),
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
				"%s %s, %s".formatted(System.getProperty("os.name"), System.getProperty("os.version"),
						System.getProperty("os.arch")),
				"%s %s".formatted(System.getProperty("java.vm.name"), System.getProperty("java.vm.version")),
				Stream
					.of(ZooKeeper.class, InterProcessMutex.class, ZookeeperLockRegistry.class,
							ZookeeperCuratorLockProvider.class)
					.map(Machine::library)
					.toList());
	}

	private static String processorName() throws IOException {
		if (!Files.isReadable(CPUINFO)) {
			return "unknown processor";
		}
		try (Stream<String> lines = Files.lines(CPUINFO)) {
			return lines.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse("unknown processor");
		}
	}

	/**
	 * Return the name of the file that a class comes from: it has the version in it.
	 */
	private static String library(Class<?> type) {
		CodeSource source = type.getProtectionDomain().getCodeSource();
		return (source == null) ? type.getName()
				: Path.of(source.getLocation().getPath()).getFileName().toString().replace(".jar", "");
	}

}
