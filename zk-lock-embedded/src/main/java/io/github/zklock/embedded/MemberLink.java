package io.github.zklock.embedded;

import java.util.List;

/**
 * What one member of an ensemble sends to another: proposals, acknowledgements, pings and
 * votes. Thread-safe.
 */
public final class MemberLink {

	private final List<Valve> valves;

	MemberLink(List<Valve> valves) {
		this.valves = valves;
	}

	/**
	 * Swallow what is sent, without either side being told, until
	 * {@link ZooKeeperEnsemble#heal()}, which then closes the connections concerned.
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
	 * Pass on what was held back, and what follows.
	 */
	public void release() {
		set(Valve.State.OPEN);
	}

	private void set(Valve.State state) {
		this.valves.forEach((valve) -> valve.set(state));
	}

}
