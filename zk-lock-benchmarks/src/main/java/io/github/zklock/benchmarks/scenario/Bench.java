package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.zklock.benchmarks.contestant.Client;
import io.github.zklock.benchmarks.contestant.Contestant;

/**
 * The place where one contestant is measured once. Clients are closed with it.
 */
public final class Bench implements AutoCloseable {

	/**
	 * What an application might have.
	 */
	static final Duration SESSION_TIMEOUT = Duration.ofSeconds(40);

	/**
	 * So long that neither pings nor heartbeats fall into what is counted.
	 */
	static final Duration NO_HEARTBEATS = Duration.ofMinutes(30);

	private static final int OPENING_THREADS = 32;

	private final Servers servers;

	private final Effort effort;

	private final String lockName;

	private final List<String> addresses;

	private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();

	/**
	 * Make a place.
	 * @param servers the servers
	 * @param effort how much to do
	 * @param lockName a name that nobody else uses
	 */
	public Bench(Servers servers, Effort effort, String lockName) {
		this(servers, effort, lockName, servers.addresses());
	}

	private Bench(Servers servers, Effort effort, String lockName, List<String> addresses) {
		this.servers = servers;
		this.effort = effort;
		this.lockName = lockName;
		this.addresses = addresses;
	}

	/**
	 * Make a place for one of several blocks, where everybody is connected to the same
	 * server, so that it does not matter who has found a faster one. The next block has
	 * the next server.
	 */
	Bench block(int number) {
		return new Bench(this.servers, this.effort, this.lockName + "-" + number, List.of(address(number)));
	}

	private String address(int number) {
		List<String> all = this.servers.addresses();
		return all.get(number % all.size());
	}

	Effort effort() {
		return this.effort;
	}

	String lockName() {
		return this.lockName;
	}

	Wire wire() {
		return wire(this.addresses);
	}

	Wire wire(Servers others) {
		return wire(others.addresses());
	}

	private Wire wire(List<String> servers) {
		Wire wire = new Wire(servers);
		this.open.add(wire);
		return wire;
	}

	/**
	 * Start servers for this measurement only.
	 */
	Servers startServers() {
		Servers started = this.servers.startOthers();
		this.open.add(started);
		return started;
	}

	Client client(Contestant contestant) throws Exception {
		return client(contestant, SESSION_TIMEOUT);
	}

	/**
	 * Open a client on one server, the same one for each contestant.
	 */
	Client client(Contestant contestant, int server) throws Exception {
		return client(contestant, address(server), SESSION_TIMEOUT);
	}

	Client client(Contestant contestant, Wire wire, Duration sessionTimeout) throws Exception {
		return client(contestant, wire.connectString(), sessionTimeout);
	}

	Client client(Contestant contestant, Duration sessionTimeout) throws Exception {
		return client(contestant, String.join(",", this.addresses), sessionTimeout);
	}

	private Client client(Contestant contestant, String connectString, Duration sessionTimeout) throws Exception {
		Client client = contestant.open(connectString, sessionTimeout, "/" + contestant.shortName());
		this.open.add(client);
		return client;
	}

	/**
	 * Do something many times, several at once.
	 */
	static <T> List<T> parallel(int times, Callable<T> action) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(OPENING_THREADS);
		try {
			List<Future<T>> futures = new ArrayList<>();
			for (int time = 0; time < times; time++) {
				futures.add(threads.submit(action));
			}
			List<T> results = new ArrayList<>();
			for (Future<T> future : futures) {
				results.add(future.get());
			}
			return results;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		finally {
			threads.shutdownNow();
		}
	}

	void awaitQuiet(Duration quiet) throws InterruptedException {
		this.servers.awaitQuiet(quiet);
	}

	@Override
	public void close() throws Exception {
		List<AutoCloseable> clients = this.open.stream().filter(Client.class::isInstance).toList();
		Queue<AutoCloseable> left = new ConcurrentLinkedQueue<>(clients);
		parallel(clients.size(), () -> {
			left.remove().close();
			return true;
		});
		for (AutoCloseable wire : this.open) {
			if (!(wire instanceof Client)) {
				wire.close();
			}
		}
	}

}
