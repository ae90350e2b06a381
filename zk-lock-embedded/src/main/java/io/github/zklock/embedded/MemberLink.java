package io.github.zklock.embedded;

import java.util.List;

/**
 * What one member of an ensemble sends to another: proposals, acknowledgements, pings and
 * votes. Thread-safe.
 */
public final class MemberLink {

	private final List<Way> ways;

	MemberLink(List<Way> ways) {
		this.ways = ways;
	}

	/**
	 * Swallow what is sent, without either side being told, until
	 * {@link ZooKeeperEnsemble#heal()} or {@link #release()}, which then close the
	 * connections concerned.
	 */
	public void swallow() {
		set(Valve.State.SWALLOWING);
	}

	/**
	 * Hold back what is sent. It arrives with {@link ZooKeeperEnsemble#heal()} or
	 * {@link #release()}.
	 */
	public void hold() {
		set(Valve.State.HOLDING);
	}

	/**
	 * Pass on what was held back, and what follows, and close the connections from which
	 * something was swallowed, as their streams have a hole.
	 */
	public void release() {
		this.ways.forEach((way) -> way.relay().release(way.direction()));
	}

	private void set(Valve.State state) {
		this.ways.forEach((way) -> way.relay().valve(way.direction()).set(state));
	}

	/**
	 * One way through a relay.
	 */
	record Way(Relay relay, Direction direction) {

	}

}
