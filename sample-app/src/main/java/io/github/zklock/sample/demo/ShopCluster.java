package io.github.zklock.sample.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.embedded.EmbeddedZooKeeperMain;
import io.github.zklock.sample.SampleApplication;

import org.springframework.util.FileSystemUtils;

/**
 * One ZooKeeper, one database server and several shops, each a process of its own on
 * loopback, so that each can be killed without the others. Closing it ends them all.
 */
final class ShopCluster implements AutoCloseable {

	// spring-boot:run kills what needs more than five seconds after Ctrl-C
	private static final Duration SHOP_STOP_TIMEOUT = patience(Duration.ofSeconds(3));

	private static final Duration SERVER_STOP_TIMEOUT = patience(Duration.ofSeconds(1));

	// Tests want to know more than people in front of a terminal
	private static final String LOG_LEVEL = "-Dserver.log-level="
			+ System.getProperty("demo.server-log-level", "error");

	private final HttpClient http = HttpClient.newHttpClient();

	// of all processes: those that are killed cannot tidy up
	private final Path directory;

	private final int zooKeeperPort;

	private final ChildProcess zooKeeper;

	private final ChildProcess store;

	private final List<Shop> shops = new ArrayList<>();

	/**
	 * Describe a cluster.
	 * @param ports the ports of the shops
	 * @param out where to print what the processes say
	 * @param sessionTimeout how long the sessions of killed shops outlive them: so long
	 * does the next leader wait
	 * @param shopArguments further arguments of each shop
	 */
	ShopCluster(List<Integer> ports, PrintStream out, Duration sessionTimeout, String... shopArguments) {
		this.directory = temporaryDirectory();
		String temporary = "-Djava.io.tmpdir=" + this.directory;
		List<Integer> serverPorts = FreePorts.find(2);
		this.zooKeeperPort = serverPorts.get(0);
		int storePort = serverPorts.get(1);
		this.zooKeeper = new ChildProcess("zookeeper", out, () -> isListening(this.zooKeeperPort),
				List.of("-Xmx128m", temporary, "-Dlogback.configurationFile=logback-servers.xml", LOG_LEVEL),
				EmbeddedZooKeeperMain.class.getName(), List.of("--port", Integer.toString(this.zooKeeperPort),
						"--data-dir", this.directory.resolve("zookeeper").toString()));
		this.store = new ChildProcess("store", out, () -> isListening(storePort),
				List.of("-Xmx128m", temporary, "-Dh2.bindAddress=127.0.0.1"), "org.h2.tools.Server",
				List.of("-tcp", "-tcpPort", Integer.toString(storePort), "-ifNotExists"));
		for (int port : ports) {
			String id = "shop-" + (this.shops.size() + 1);
			List<String> arguments = new ArrayList<>(List.of("--server.address=127.0.0.1", "--server.port=" + port,
					"--sample.instance=" + id, "--zk.lock.connect-string=" + connectString(),
					"--zk.lock.session.timeout=" + sessionTimeout.toMillis(), "--zk.lock.session.server-tick=500ms",
					"--spring.datasource.url=jdbc:h2:tcp://127.0.0.1:%d/mem:shop;DB_CLOSE_DELAY=-1"
						.formatted(storePort)));
			arguments.addAll(List.of(shopArguments));
			this.shops.add(new Shop(id, port, new ChildProcess(id, out, () -> isOpen(port),
					List.of("-Xmx256m", temporary), SampleApplication.class.getName(), arguments)));
		}
	}

	/**
	 * Return how long to wait for the end of a process. Where nobody kills this one, the
	 * system property {@code demo.patience} says how many times as long as usual.
	 */
	static Duration patience(Duration usual) {
		return usual.multipliedBy(Integer.getInteger("demo.patience", 1));
	}

	private static Path temporaryDirectory() {
		try {
			return Files.createTempDirectory("zk-lock-demo-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start everything that does not run, and wait until all shops are open.
	 * @throws IllegalStateException if a process ends at once, or this has been closed
	 */
	void start() {
		this.zooKeeper.start();
		this.store.start();
		this.zooKeeper.awaitReady();
		this.store.awaitReady();
		this.shops.forEach((shop) -> shop.process().start());
		this.shops.forEach((shop) -> shop.process().awaitReady());
	}

	/**
	 * Stop ZooKeeper and start it again, on the same port and with the same data.
	 */
	void restartZooKeeper() {
		this.zooKeeper.askToStop();
		this.zooKeeper.awaitStop(Duration.ofSeconds(10));
		this.zooKeeper.start();
		this.zooKeeper.awaitReady();
	}

	String connectString() {
		return "127.0.0.1:" + this.zooKeeperPort;
	}

	ChildProcess zooKeeper() {
		return this.zooKeeper;
	}

	ChildProcess store() {
		return this.store;
	}

	List<Shop> shops() {
		return List.copyOf(this.shops);
	}

	private static boolean isListening(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	private boolean isOpen(int port) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/api/state".formatted(port)))
			.timeout(Duration.ofSeconds(5))
			.build();
		try {
			return this.http.send(request, BodyHandlers.discarding()).statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * End all processes that still run: shops first, since they need the others to leave
	 * in order.
	 */
	@Override
	public void close() {
		stop(this.shops.stream().map(Shop::process).toList(), SHOP_STOP_TIMEOUT);
		stop(List.of(this.zooKeeper, this.store), SERVER_STOP_TIMEOUT);
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void stop(List<ChildProcess> processes, Duration patience) {
		long deadline = System.nanoTime() + patience.toNanos();
		processes.forEach(ChildProcess::askToStop);
		processes.forEach((process) -> process.awaitStop(Duration.ofNanos(deadline - System.nanoTime())));
		processes.forEach(ChildProcess::close);
	}

	/**
	 * A shop.
	 *
	 * @param id the id that it calls itself by
	 * @param port the port that it listens on
	 * @param process its process
	 */
	record Shop(String id, int port, ChildProcess process) {

		/**
		 * Return an address in the shop.
		 * @param path the path, with a slash at its beginning
		 * @return the address
		 */
		URI uri(String path) {
			return URI.create("http://127.0.0.1:" + this.port + path);
		}

	}

}
