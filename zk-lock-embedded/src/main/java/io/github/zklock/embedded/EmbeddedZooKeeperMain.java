package io.github.zklock.embedded;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;

/**
 * Runs one server in the foreground until it is interrupted.
 */
public final class EmbeddedZooKeeperMain {

	private static final int DEFAULT_PORT = 2181;

	private static final String USAGE = """
			Runs one ZooKeeper server for development on 127.0.0.1, until Ctrl-C.

			  --port N         the port to listen on, 0 for any free one (default %d)
			  --data-dir DIR   where to keep the data (default: a temporary directory, deleted at the end)
			  --help           print this text
			""".formatted(DEFAULT_PORT);

	private EmbeddedZooKeeperMain() {
	}

	/**
	 * Run the server.
	 * @param args the options, see {@code --help}
	 * @throws InterruptedException if interrupted
	 */
	public static void main(String[] args) throws InterruptedException {
		if (System.getProperty("org.slf4j.simpleLogger.defaultLogLevel") == null) {
			System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
		}
		int exitCode = run(args, System.out, System.err);
		if (exitCode >= 0) {
			System.exit(exitCode);
		}
		new CountDownLatch(1).await();
	}

	/**
	 * Start the server as the options say.
	 * @return the code to exit with, negative if a server is running now
	 */
	static int run(String[] args, PrintStream out, PrintStream err) {
		EmbeddedZooKeeper.Builder builder = EmbeddedZooKeeper.builder().port(DEFAULT_PORT);
		try {
			if (!parse(args, builder)) {
				out.print(USAGE);
				return 0;
			}
		}
		catch (IllegalArgumentException ex) {
			err.println(ex.getMessage());
			err.print(USAGE);
			return 2;
		}
		try {
			EmbeddedZooKeeper server = builder.start();
			Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop"));
			out.printf("ZooKeeper is ready at %s, data in %s. Stop it with Ctrl-C.%n", server.connectString(),
					server.dataDirectory());
			return -1;
		}
		catch (ZooKeeperStartException ex) {
			err.println(ex.getMessage());
			return 1;
		}
	}

	private static boolean parse(String[] args, EmbeddedZooKeeper.Builder builder) {
		Iterator<String> options = Arrays.asList(args).iterator();
		while (options.hasNext()) {
			String option = options.next();
			switch (option) {
				case "--help" -> {
					return false;
				}
				case "--port" -> builder.port(parsePort(value(option, options)));
				case "--data-dir" -> builder.dataDirectory(Path.of(value(option, options)));
				default -> throw new IllegalArgumentException("Unknown option '%s'".formatted(option));
			}
		}
		return true;
	}

	private static String value(String option, Iterator<String> options) {
		if (!options.hasNext()) {
			throw new IllegalArgumentException("Option '%s' needs a value".formatted(option));
		}
		return options.next();
	}

	private static int parsePort(String text) {
		try {
			return Integer.parseInt(text);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("Option '--port' needs a number but was given '%s'".formatted(text), ex);
		}
	}

}
