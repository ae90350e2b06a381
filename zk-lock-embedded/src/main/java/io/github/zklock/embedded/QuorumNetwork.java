package io.github.zklock.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The links between the members of an ensemble. Each member is told an address of its own
 * for each other member, behind which a relay leads to the other's real port.
 */
final class QuorumNetwork implements AutoCloseable {

	/**
	 * The way on which one member opens connections to another.
	 */
	private record Way(int from, int to, Kind kind) {

	}

	private enum Kind {

		QUORUM, ELECTION

	}

	private record Listener(int member, Kind kind) {

	}

	// A follower often calls its new leader before that one listens. It would try again
	// if it was refused, but gives up the whole election if it is accepted and then
	// dropped.
	private static final Duration TARGET_PATIENCE = Duration.ofSeconds(2);

	private final int size;

	private final Map<Listener, Integer> ports = new HashMap<>();

	private final Map<Way, Relay> relays = new HashMap<>();

	QuorumNetwork(int size) {
		this.size = size;
	}

	/**
	 * Open all relays.
	 * @param reserved gives the ports that the members themselves are to listen on
	 */
	void open(ReservedPorts reserved) throws IOException {
		for (int member = 1; member <= this.size; member++) {
			for (Kind kind : Kind.values()) {
				this.ports.put(new Listener(member, kind), reserved.take());
			}
		}
		for (int from = 1; from <= this.size; from++) {
			for (int to = 1; to <= this.size; to++) {
				if (from != to) {
					open(from, to);
				}
			}
		}
		this.relays.values().forEach(Relay::start);
	}

	private void open(int from, int to) throws IOException {
		for (Kind kind : Kind.values()) {
			this.relays.put(new Way(from, to, kind), new Relay(Loopback.address(port(to, kind)),
					new ByteTraffic(() -> port(from, kind), () -> relay(to, from, kind).port()), TARGET_PATIENCE));
		}
	}

	@SuppressWarnings("NullAway") // there is one for each
	private int port(int member, Kind kind) {
		return this.ports.get(new Listener(member, kind));
	}

	@SuppressWarnings("NullAway") // there is one for each
	private Relay relay(int from, int to, Kind kind) {
		return this.relays.get(new Way(from, to, kind));
	}

	/**
	 * Return the servers as the configuration of a member has to name them.
	 */
	Map<String, String> serversSeenBy(int member) {
		Map<String, String> servers = new HashMap<>();
		for (int other = 1; other <= this.size; other++) {
			int quorum = (other == member) ? port(other, Kind.QUORUM) : relay(member, other, Kind.QUORUM).port();
			int election = (other == member) ? port(other, Kind.ELECTION) : relay(member, other, Kind.ELECTION).port();
			servers.put("server." + other, "%s:%d:%d".formatted(Loopback.HOST, quorum, election));
		}
		return servers;
	}

	MemberLink link(int from, int to) {
		return new MemberLink(List.of(new MemberLink.Way(relay(from, to, Kind.QUORUM), Direction.TO_SERVER),
				new MemberLink.Way(relay(from, to, Kind.ELECTION), Direction.TO_SERVER),
				new MemberLink.Way(relay(to, from, Kind.QUORUM), Direction.TO_CLIENT),
				new MemberLink.Way(relay(to, from, Kind.ELECTION), Direction.TO_CLIENT)));
	}

	void heal() {
		this.relays.values().forEach(Relay::heal);
	}

	@Override
	public void close() throws IOException {
		for (Relay relay : this.relays.values()) {
			relay.close();
		}
	}

}
