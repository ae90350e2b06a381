package io.github.zklock.benchmarks.scenario;

/**
 * What a number means.
 */
public enum Metric {

	/**
	 * Median time of a cycle.
	 */
	P50("p50", "µs", false),

	/**
	 * Time that one cycle of a hundred takes longer than.
	 */
	P99("p99", "µs", false),

	/**
	 * Cycles in a second, of all threads together.
	 */
	THROUGHPUT("throughput", "1/s", true),

	/**
	 * Time until everybody in a queue has had the lock.
	 */
	TOTAL("total time", "ms", false),

	/**
	 * Time from a crash to the next leader, as a part of the session timeout.
	 */
	SESSION_TIMEOUTS("time / session timeout", "", false),

	/**
	 * Time from the moment at which the servers are back.
	 */
	AFTER_RETURN("after the servers' return", "ms", false),

	/**
	 * Time from the moment at which the client is connected again.
	 */
	AFTER_CONNECT("after the connection", "ms", false),

	/**
	 * How late a client is at worst with what it has to do at a time.
	 */
	DELAY("worst delay", "ms", false),

	/**
	 * Locks that were lost although the servers were there.
	 */
	LOST("lost locks", "", false),

	/**
	 * Requests sent to servers.
	 */
	REQUESTS("requests", "", false),

	/**
	 * Watch events sent by servers.
	 */
	EVENTS("events", "", false),

	/**
	 * Bytes sent to servers.
	 */
	BYTES_OUT("bytes sent", "B", false),

	/**
	 * Bytes sent by servers.
	 */
	BYTES_IN("bytes received", "B", false),

	/**
	 * Heap of the client that garbage collection does not free.
	 */
	HEAP("heap", "B", false);

	private final String label;

	private final String unit;

	private final boolean higherBetter;

	Metric(String label, String unit, boolean higherBetter) {
		this.label = label;
		this.unit = unit;
		this.higherBetter = higherBetter;
	}

	/**
	 * Return the name for tables.
	 * @return the name
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Return the unit.
	 * @return the unit; empty for plain numbers
	 */
	public String unit() {
		return this.unit;
	}

	/**
	 * Return whether more is better.
	 * @return whether more is better
	 */
	public boolean isHigherBetter() {
		return this.higherBetter;
	}

	/**
	 * Return whether this is counted and the same on every machine.
	 * @return whether it is a count
	 */
	public boolean isCount() {
		return this == REQUESTS || this == EVENTS || this == BYTES_OUT || this == BYTES_IN;
	}

}
