package io.github.zklock.embedded;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import org.jspecify.annotations.Nullable;

/**
 * One direction of a connection through a relay: passes chunks on in order, as the
 * connection's observer decides and the direction's valve lets it. The end of the stream
 * takes its turn like a chunk, and closes the connection.
 *
 * <p>
 * It has a thread that reads and one that writes, with a queue between them, so that a
 * delay adds to the time under way but not to the time between chunks.
 */
final class RelayStream {

	private final Relay relay;

	private final RelayConnection connection;

	private final Direction direction;

	private final Valve valve;

	private final Socket from;

	private final Socket to;

	private final BlockingQueue<Parcel> queue = new LinkedBlockingQueue<>();

	private final Thread reader;

	private final Thread writer;

	private volatile long holdFrom;

	private volatile boolean dropped;

	private volatile boolean swallowed;

	private long count;

	RelayStream(Relay relay, RelayConnection connection, Direction direction, Socket from, Socket to) {
		this.relay = relay;
		this.connection = connection;
		this.direction = direction;
		this.valve = relay.valve(direction);
		this.from = from;
		this.to = to;
		this.reader = relay.thread("read", this::read);
		this.writer = relay.thread("write", this::write);
	}

	void start() {
		this.writer.start();
		this.reader.start();
	}

	/**
	 * End the writing thread where it waits. The reading one ends with its socket.
	 */
	void stopWriting() {
		this.writer.interrupt();
	}

	/**
	 * Return whether something is missing from the stream.
	 */
	boolean isIncomplete() {
		return this.dropped || this.swallowed;
	}

	private void read() {
		try {
			DataInputStream in = new DataInputStream(new BufferedInputStream(this.from.getInputStream()));
			byte[] chunk = this.relay.traffic().read(in);
			while (chunk != null && send(chunk)) {
				chunk = this.relay.traffic().read(in);
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
		synchronized (this.relay.faults()) {
			RelayTraffic.Decision decision = this.connection.observer().onChunk(this.direction, chunk);
			switch (decision.verdict()) {
				case PASS -> enqueue(chunk, false);
				case DROP -> this.dropped = true;
				case HOLD -> {
					this.holdFrom = this.count;
					this.valve.set(Valve.State.HOLDING);
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
		this.queue.add(new Parcel(bytes, this.count++, System.nanoTime() + this.valve.delayNanos(), last));
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
		boolean pass = this.valve.await(parcel.dueNanos(), () -> parcel.number() < this.holdFrom,
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

}
