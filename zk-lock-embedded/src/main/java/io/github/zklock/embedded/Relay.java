package io.github.zklock.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Listens on loopback and passes what it reads on to a target, chunk by chunk and in
 * order, each direction through a {@link Valve}. A {@link RelayTraffic} decides what a
 * chunk is and what happens to it.
 */
final class Relay implements AutoCloseable {

	private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

	private static final Duration RETRY_INTERVAL = Duration.ofMillis(10);

	private final ServerSocket listener;

	private final RelayTraffic traffic;

	private final Map<Direction, Valve> valves = new EnumMap<>(Direction.class);

	// clients that the target has not been reached for yet
	private final Set<Socket> pending = ConcurrentHashMap.newKeySet();

	private final Set<RelayConnection> connections = ConcurrentHashMap.newKeySet();

	private final Duration targetPatience;

	// held while a fault is decided on and begins, and while all of them end
	private final Object faults = new Object();

	private volatile InetSocketAddress target;

	private volatile boolean refusing;

	/**
	 * Open the port.
	 * @param target where to pass everything on
	 * @param traffic what passes
	 * @param targetPatience how long to keep a client waiting while the target does not
	 * listen
	 */
	Relay(InetSocketAddress target, RelayTraffic traffic, Duration targetPatience) throws IOException {
		this.targetPatience = targetPatience;
		this.listener = Loopback.listen();
		this.target = target;
		this.traffic = traffic;
		for (Direction direction : Direction.values()) {
			this.valves.put(direction, new Valve());
		}
	}

	void start() {
		thread("accept", this::accept).start();
	}

	Thread thread(String task, Runnable action) {
		Thread thread = new Thread(action, "relay-" + port() + "-" + task);
		thread.setDaemon(true);
		return thread;
	}

	int port() {
		return this.listener.getLocalPort();
	}

	@SuppressWarnings("NullAway") // there is one for each direction
	Valve valve(Direction direction) {
		return this.valves.get(direction);
	}

	RelayTraffic traffic() {
		return this.traffic;
	}

	/**
	 * Return the object to synchronize on while a fault is decided on and begins.
	 */
	Object faults() {
		return this.faults;
	}

	boolean isClosed() {
		return this.listener.isClosed();
	}

	void add(RelayConnection connection) {
		this.connections.add(connection);
	}

	void remove(RelayConnection connection) {
		this.connections.remove(connection);
	}

	void retarget(InetSocketAddress target) {
		this.target = target;
	}

	void refuse(boolean refusing) {
		this.refusing = refusing;
	}

	int connectionCount() {
		return this.connections.size();
	}

	/**
	 * Close all connections, at once, those included that are being made.
	 */
	void cut() {
		this.pending.forEach(Relay::closeQuietly);
		this.connections.forEach(RelayConnection::close);
	}

	/**
	 * End all faults, those included that the traffic has not decided on yet, and close
	 * the connections that have lost something: it is missing from the stream.
	 */
	void heal() {
		synchronized (this.faults) {
			this.refusing = false;
			this.traffic.forgetFaults();
			this.valves.keySet().forEach(this::release);
		}
	}

	/**
	 * Open a valve and close the connections that have lost something on its way.
	 */
	void release(Direction direction) {
		valve(direction).set(Valve.State.OPEN);
		this.connections.stream()
			.filter((connection) -> connection.stream(direction).isIncomplete())
			.forEach(RelayConnection::close);
	}

	private void accept() {
		while (!isClosed()) {
			try {
				Socket client = this.listener.accept();
				this.pending.add(client);
				if (this.refusing) {
					closeQuietly(client);
					this.pending.remove(client);
				}
				else {
					thread("connect", () -> connect(client)).start();
				}
			}
			catch (IOException ex) {
				// this attempt failed, or the relay has been closed
			}
		}
	}

	private void connect(Socket client) {
		long deadline = System.nanoTime() + this.targetPatience.toNanos();
		while (!tryConnect(client)) {
			if (System.nanoTime() - deadline >= 0 || isClosed() || client.isClosed()) {
				closeQuietly(client);
				break;
			}
			LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
		}
		this.pending.remove(client);
	}

	private boolean tryConnect(Socket client) {
		Socket server = new Socket();
		try {
			server.connect(this.target, CONNECT_TIMEOUT_MILLIS);
			new RelayConnection(this, client, server).start();
			return true;
		}
		catch (IOException ex) {
			closeQuietly(server);
			return false;
		}
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		cut();
	}

	static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// closed all the same
		}
	}

}
