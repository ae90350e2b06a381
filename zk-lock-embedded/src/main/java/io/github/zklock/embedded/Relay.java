package io.github.zklock.embedded;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Listens on loopback and passes what it reads on to a target, chunk by chunk and in
 * order, each direction through a {@link Valve}. A {@link Traffic} decides what a chunk
 * is and what happens to it.
 *
 * <p>
 * Each direction of a connection has a thread that reads and one that writes, with a
 * queue between them, so that a delay adds to the time under way but not to the time
 * between chunks.
 */
final class Relay implements AutoCloseable {

	private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

	private static final Duration RETRY_INTERVAL = Duration.ofMillis(10);

	private final ServerSocket listener;

	private final Traffic traffic;

	private final Map<Direction, Valve> valves = new EnumMap<>(Direction.class);

	// clients that the target has not been reached for yet
	private final Set<Socket> pending = ConcurrentHashMap.newKeySet();

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

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
	Relay(InetSocketAddress target, Traffic traffic, Duration targetPatience) throws IOException {
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

	private Thread thread(String task, Runnable action) {
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
		this.connections.forEach(Connection::close);
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
			.forEach(Connection::close);
	}

	private void accept() {
		while (!this.listener.isClosed()) {
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
			if (System.nanoTime() - deadline >= 0 || this.listener.isClosed() || client.isClosed()) {
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
			new Connection(client, server).start();
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

	private static void closeQuietly(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// closed all the same
		}
	}

	/**
	 * What to do with a chunk.
	 */
	enum Verdict {

		PASS, DROP, CUT, PASS_THEN_CUT, HOLD

	}

	/**
	 * Reads chunks and decides on them. One per relay.
	 */
	interface Traffic {

		/**
		 * Read the next chunk.
		 * @return the chunk, null at the end of the stream
		 */
		byte @Nullable [] read(DataInputStream in) throws IOException;

		/**
		 * Begin the observation of a new connection.
		 * @return the observer, called by one thread for each direction
		 */
		Observer open();

		/**
		 * Let everything pass from now on.
		 */
		default void forgetFaults() {
		}

	}

	/**
	 * Sees the chunks of one connection.
	 */
	interface Observer {

		Decision onChunk(Direction direction, byte[] chunk);

	}

	/**
	 * What to do with a chunk, and whom to tell once it is done.
	 *
	 * @param verdict what to do
	 * @param done called when it is done: a connection to cut is closed by then
	 */
	record Decision(Verdict verdict, Runnable done) {

		static final Decision PASS = new Decision(Verdict.PASS, () -> {
		});

	}

	/**
	 * A chunk under way.
	 *
	 * @param bytes what to write, null to close the connection instead
	 * @param number its place in the stream
	 * @param dueNanos when to write it
	 * @param last whether to close the connection afterwards
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Parcel(byte @Nullable [] bytes, long number, long dueNanos, boolean last) {

	}

	private final class Connection {

		private final Socket client;

		private final Socket server;

		private final Observer observer;

		private final Map<Direction, Stream> streams = new EnumMap<>(Direction.class);

		private final Queue<Runnable> afterClose = new ConcurrentLinkedQueue<>();

		private volatile boolean closed;

		Connection(Socket client, Socket server) throws IOException {
			this.client = client;
			this.server = server;
			this.observer = Relay.this.traffic.open();
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			this.streams.put(Direction.TO_SERVER, new Stream(this, Direction.TO_SERVER, client, server));
			this.streams.put(Direction.TO_CLIENT, new Stream(this, Direction.TO_CLIENT, server, client));
		}

		@SuppressWarnings("NullAway") // there is one for each direction
		Stream stream(Direction direction) {
			return this.streams.get(direction);
		}

		void start() {
			Relay.this.connections.add(this);
			this.streams.values().forEach(Stream::start);
			if (Relay.this.listener.isClosed() || this.client.isClosed()) {
				close();
			}
		}

		void close() {
			Relay.this.connections.remove(this);
			closeQuietly(this.client);
			closeQuietly(this.server);
			this.streams.values().forEach((stream) -> stream.writer.interrupt());
			this.closed = true;
			reportClose();
		}

		void afterClose(Runnable action) {
			this.afterClose.add(action);
			if (this.closed) {
				reportClose();
			}
		}

		private void reportClose() {
			for (Runnable next = this.afterClose.poll(); next != null; next = this.afterClose.poll()) {
				next.run();
			}
		}

	}

	private final class Stream {

		private final Connection connection;

		private final Direction direction;

		private final Socket from;

		private final Socket to;

		private final BlockingQueue<Parcel> queue = new LinkedBlockingQueue<>();

		private final Thread reader = thread("read", this::read);

		private final Thread writer = thread("write", this::write);

		private volatile long holdFrom;

		private volatile boolean dropped;

		private volatile boolean swallowed;

		private long count;

		Stream(Connection connection, Direction direction, Socket from, Socket to) {
			this.connection = connection;
			this.direction = direction;
			this.from = from;
			this.to = to;
		}

		void start() {
			this.writer.start();
			this.reader.start();
		}

		boolean isIncomplete() {
			return this.dropped || this.swallowed;
		}

		private void read() {
			try {
				DataInputStream in = new DataInputStream(new BufferedInputStream(this.from.getInputStream()));
				byte[] chunk = Relay.this.traffic.read(in);
				while (chunk != null && send(chunk)) {
					chunk = Relay.this.traffic.read(in);
				}
			}
			catch (IOException ex) {
				// the connection has been closed by one of the three
			}
			enqueue(null, false);
		}

		/**
		 * Send a chunk on its way, or do with it what the observer decides.
		 * @return whether the connection goes on
		 */
		private boolean send(byte[] chunk) {
			synchronized (Relay.this.faults) {
				Decision decision = this.connection.observer.onChunk(this.direction, chunk);
				switch (decision.verdict()) {
					case PASS -> enqueue(chunk, false);
					case DROP -> this.dropped = true;
					case HOLD -> {
						this.holdFrom = this.count;
						valve(this.direction).set(Valve.State.HOLDING);
						enqueue(chunk, false);
					}
					case PASS_THEN_CUT -> {
						enqueue(chunk, true);
						this.connection.afterClose(decision.done());
						return false;
					}
					case CUT -> {
						this.connection.afterClose(decision.done());
						return false;
					}
				}
				decision.done().run();
				return true;
			}
		}

		private void enqueue(byte @Nullable [] bytes, boolean last) {
			this.queue
				.add(new Parcel(bytes, this.count++, System.nanoTime() + valve(this.direction).delayNanos(), last));
		}

		private void write() {
			try {
				boolean open = true;
				while (open) {
					open = deliver(this.queue.take());
				}
			}
			catch (IOException ex) {
				// the connection has been closed by one of the three
			}
			catch (InterruptedException ex) {
				// the connection is being closed
			}
			this.connection.close();
		}

		private boolean deliver(Parcel parcel) throws IOException, InterruptedException {
			boolean pass = valve(this.direction).await(parcel.dueNanos(), () -> parcel.number() < this.holdFrom,
					() -> this.swallowed = true);
			if (!pass || this.swallowed) {
				// nothing may arrive behind a hole, until the connection is closed
				return true;
			}
			if (parcel.bytes() == null) {
				return false;
			}
			this.to.getOutputStream().write(parcel.bytes());
			return !parcel.last();
		}

	}

}
