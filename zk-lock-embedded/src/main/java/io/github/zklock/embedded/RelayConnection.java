package io.github.zklock.embedded;

import java.io.IOException;
import java.net.Socket;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A client's connection to a relay and the relay's own one to the target, with a stream
 * for each direction between them. Both are closed together. The relay knows of them from
 * the start until then.
 */
final class RelayConnection {

	private final Relay relay;

	private final Socket client;

	private final Socket server;

	private final RelayTraffic.Observer observer;

	private final Map<Direction, RelayStream> streams = new EnumMap<>(Direction.class);

	private final Queue<Runnable> afterClose = new ConcurrentLinkedQueue<>();

	private volatile boolean closed;

	RelayConnection(Relay relay, Socket client, Socket server) throws IOException {
		this.relay = relay;
		this.client = client;
		this.server = server;
		this.observer = relay.traffic().open();
		client.setTcpNoDelay(true);
		server.setTcpNoDelay(true);
		this.streams.put(Direction.TO_SERVER, new RelayStream(relay, this, Direction.TO_SERVER, client, server));
		this.streams.put(Direction.TO_CLIENT, new RelayStream(relay, this, Direction.TO_CLIENT, server, client));
	}

	RelayTraffic.Observer observer() {
		return this.observer;
	}

	@SuppressWarnings("NullAway") // there is one for each direction
	RelayStream stream(Direction direction) {
		return this.streams.get(direction);
	}

	void start() {
		this.relay.add(this);
		this.streams.values().forEach(RelayStream::start);
		if (this.relay.isClosed() || this.client.isClosed()) {
			close();
		}
	}

	void close() {
		this.relay.remove(this);
		Relay.closeQuietly(this.client);
		Relay.closeQuietly(this.server);
		this.streams.values().forEach(RelayStream::stopWriting);
		this.closed = true;
		reportClose();
	}

	/**
	 * Run an action once the connection is closed, at once if it is already.
	 */
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
