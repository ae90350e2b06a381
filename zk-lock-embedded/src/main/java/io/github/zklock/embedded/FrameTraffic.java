package io.github.zklock.embedded;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

import org.apache.zookeeper.ClientCnxn;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's client protocol: frames with a length of four bytes. Counts them, finds out
 * what they are, and asks the rules what happens to them.
 */
final class FrameTraffic implements RelayTraffic {

	private static final int LENGTH_BYTES = 4;

	// the client's own limit is 1 MB unless it is told otherwise
	private static final int LONGEST_FRAME = 64 * 1024 * 1024;

	// the client gives these numbers to all requests of a kind
	private static final Map<Integer, Operation> BY_XID = Map.of(ClientCnxn.NOTIFICATION_XID, Operation.NOTIFICATION,
			ClientCnxn.PING_XID, Operation.PING, ClientCnxn.AUTHPACKET_XID, Operation.AUTH, ClientCnxn.SET_WATCHES_XID,
			Operation.SET_WATCHES);

	private final List<FrameRule> rules = new CopyOnWriteArrayList<>();

	private final Map<Direction, Map<Operation, LongAdder>> frames = Map.of(Direction.TO_SERVER,
			new ConcurrentHashMap<>(), Direction.TO_CLIENT, new ConcurrentHashMap<>());

	private final Map<Direction, LongAdder> bytes = Map.of(Direction.TO_SERVER, new LongAdder(), Direction.TO_CLIENT,
			new LongAdder());

	void add(FrameRule rule) {
		this.rules.add(rule);
	}

	long frames(Direction direction, Operation operation) {
		return counters(direction).entrySet()
			.stream()
			.filter((entry) -> operation.matches(entry.getKey()))
			.mapToLong((entry) -> entry.getValue().sum())
			.sum();
	}

	long frames(Direction direction) {
		return counters(direction).values().stream().mapToLong(LongAdder::sum).sum();
	}

	long bytes(Direction direction) {
		return adder(direction).sum();
	}

	void resetCounts() {
		this.frames.values().forEach(Map::clear);
		this.bytes.values().forEach(LongAdder::reset);
	}

	@SuppressWarnings("NullAway") // there is one for each direction
	private Map<Operation, LongAdder> counters(Direction direction) {
		return this.frames.get(direction);
	}

	@SuppressWarnings("NullAway") // there is one for each direction
	private LongAdder adder(Direction direction) {
		return this.bytes.get(direction);
	}

	@Override
	public byte @Nullable [] read(DataInputStream in) throws IOException {
		int length;
		try {
			length = in.readInt();
		}
		catch (EOFException ex) {
			return null;
		}
		if (length < 0 || length > LONGEST_FRAME) {
			throw new IOException("Not a ZooKeeper frame: its length is " + length);
		}
		byte[] frame = new byte[LENGTH_BYTES + length];
		ByteBuffer.wrap(frame).putInt(length);
		in.readFully(frame, LENGTH_BYTES, length);
		return frame;
	}

	@Override
	public RelayTraffic.Observer open() {
		return new Conversation();
	}

	@Override
	public void forgetFaults() {
		this.rules.clear();
	}

	private RelayTraffic.Decision onFrame(Direction direction, Operation operation, int length) {
		counters(direction).computeIfAbsent(operation, (key) -> new LongAdder()).increment();
		adder(direction).add(length);
		List<FrameRule> hits = this.rules.stream().filter((rule) -> rule.hits(direction, operation)).toList();
		if (hits.isEmpty()) {
			return RelayTraffic.Decision.PASS;
		}
		this.rules.removeAll(hits);
		return new RelayTraffic.Decision(hits.get(0).verdict(), () -> hits.forEach(FrameRule::fire));
	}

	/**
	 * One connection. The first frame each way opens it; afterwards a reply carries the
	 * number of its request.
	 */
	private final class Conversation implements RelayTraffic.Observer {

		private final Map<Integer, Operation> unanswered = new ConcurrentHashMap<>();

		private volatile boolean requested;

		private boolean answered;

		@Override
		public RelayTraffic.Decision onChunk(Direction direction, byte[] frame) {
			ByteBuffer buffer = ByteBuffer.wrap(frame, LENGTH_BYTES, frame.length - LENGTH_BYTES);
			Operation operation = (direction == Direction.TO_SERVER) ? request(buffer) : reply(buffer);
			return onFrame(direction, operation, frame.length);
		}

		private Operation request(ByteBuffer frame) {
			if (!this.requested) {
				this.requested = true;
				return Operation.CONNECT;
			}
			if (frame.remaining() < 2 * Integer.BYTES) {
				return Operation.OTHER;
			}
			int xid = frame.getInt();
			Operation operation = Operation.ofCode(frame.getInt());
			if (!BY_XID.containsKey(xid)) {
				this.unanswered.put(xid, operation);
			}
			return operation;
		}

		private Operation reply(ByteBuffer frame) {
			if (!this.answered) {
				this.answered = true;
				return Operation.CONNECT;
			}
			if (frame.remaining() < Integer.BYTES) {
				return Operation.OTHER;
			}
			int xid = frame.getInt();
			Operation operation = BY_XID.getOrDefault(xid, this.unanswered.remove(xid));
			return (operation != null) ? operation : Operation.OTHER;
		}

	}

}
