package io.github.zklock.sample.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Opens three shops with one ZooKeeper and one database, says what to try, and ends them
 * all on Ctrl-C.
 */
public final class Demo {

	private static final int SHOPS = 3;

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(5);

	private static final String PORT_OPTION = "--port=";

	private static final int DEFAULT_PORT = 8080;

	private Demo() {
	}

	/**
	 * Run the demonstration.
	 * @param args {@code --port=N}: the first shop's port
	 * @throws InterruptedException if interrupted
	 */
	public static void main(String[] args) throws InterruptedException {
		List<Integer> ports = IntStream.range(0, SHOPS).mapToObj((index) -> firstPort(args) + index).toList();
		requireFree(ports);
		ShopCluster cluster = new ShopCluster(ports, System.out, SESSION_TIMEOUT, "--spring.main.banner-mode=off",
				"--logging.level.root=warn", "--logging.level.io.github.zklock.sample=info",
				"--logging.pattern.console=%d{HH:mm:ss.SSS} %-5level %msg%n");
		Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "stop"));
		try {
			cluster.start();
		}
		catch (IllegalStateException ex) {
			System.err.println(ex.getMessage());
			System.exit(1);
		}
		print(cluster);
		startAgainOnEnter(cluster);
		new CountDownLatch(1).await();
	}

	private static int firstPort(String[] args) {
		if (args.length == 0) {
			return DEFAULT_PORT;
		}
		try {
			if (args.length == 1 && args[0].startsWith(PORT_OPTION)) {
				return Integer.parseInt(args[0].substring(PORT_OPTION.length()));
			}
		}
		catch (NumberFormatException ex) {
			// as any other mistake
		}
		return exit("The only option is %sN, the first shop's port, but was given '%s'".formatted(PORT_OPTION,
				String.join(" ", args)));
	}

	private static void requireFree(List<Integer> ports) {
		for (int port : ports) {
			if (!FreePorts.isFree(port)) {
				exit("Port %d is taken. Choose others with -Dspring-boot.run.arguments=%sN".formatted(port,
						PORT_OPTION));
			}
		}
	}

	private static int exit(String message) {
		System.err.println(message);
		System.exit(2);
		return 0;
	}

	private static void print(ShopCluster cluster) {
		List<ShopCluster.Shop> shops = cluster.shops();
		String addresses = shops.stream().map(Demo::describe).collect(Collectors.joining("\n"));
		int first = shops.get(0).port();
		int second = shops.get(1).port();
		long zooKeeper = cluster.zooKeeper().pid();
		System.out.print("""

				%d shops are open:
				%s
				They share ZooKeeper at %s (process %d) and a database (process %d).

				Try
				  - Open two of the pages, and press their buttons.
				  - Let 50 buyers come at once, without the lock and with it. Look at "doubleSales":
				      curl -s localhost:%d/api/rush -H 'Content-Type: application/json' -d '{"count":50,"locked":false}'
				      curl -s localhost:%d/api/rush -H 'Content-Type: application/json' -d '{"count":50,"locked":true}'
				  - Kill the shop that leads (kill -9 and its process from above). %d s later another one leads:
				      curl -s localhost:%d/api/state
				  - Kill ZooKeeper (kill -9 %d). No shop sells a seat under the lock until it is back.
				  - Press Enter here to start again what has died.
				Stop it all with Ctrl-C.

				""".formatted(shops.size(), addresses, cluster.connectString(), zooKeeper, cluster.store().pid(), first,
				first, SESSION_TIMEOUT.toSeconds(), second, zooKeeper));
	}

	private static String describe(ShopCluster.Shop shop) {
		return "  http://localhost:%d   %s, process %d".formatted(shop.port(), shop.id(), shop.process().pid());
	}

	private static void startAgainOnEnter(ShopCluster cluster) {
		try {
			for (int next = System.in.read(); next >= 0; next = System.in.read()) {
				if (next == '\n') {
					startAgain(cluster);
				}
			}
		}
		catch (IOException ex) {
			// there is no terminal
		}
	}

	private static void startAgain(ShopCluster cluster) {
		try {
			cluster.start();
			print(cluster);
		}
		catch (IllegalStateException ex) {
			System.err.println(ex.getMessage());
		}
	}

}
