package io.github.zklock.benchmarks.scenario;

import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;

/**
 * A way to the servers on which everything is counted, and which can be made longer.
 */
final class Wire implements AutoCloseable {

	// a length and a header
	private static final long PING_BYTES_OUT = 12;

	private static final long PING_BYTES_IN = 20;

	private final List<FaultProxy> proxies;

	Wire(List<String> servers) {
		this.proxies = servers.stream().map(FaultProxy::to).toList();
	}

	String connectString() {
		return this.proxies.stream().map(FaultProxy::connectString).collect(Collectors.joining(","));
	}

	void delay(Duration roundTrip) {
		this.proxies.forEach((proxy) -> proxy.delay(roundTrip));
	}

	/**
	 * Let nothing through any more, as if the client's host had lost its power.
	 */
	void swallow() {
		this.proxies.forEach(FaultProxy::swallow);
	}

	/**
	 * Return whether a server has answered a request to connect since the counts were
	 * reset.
	 */
	boolean isConnected() {
		return sum((proxy) -> proxy.frames(Direction.TO_CLIENT, Operation.CONNECT)) > 0;
	}

	void resetCounts() {
		this.proxies.forEach(FaultProxy::resetCounts);
	}

	/**
	 * Return what passed since the counts were reset, without pings.
	 */
	Sample countsFor(double operations) {
		double pingsOut = sum((proxy) -> proxy.frames(Direction.TO_SERVER, Operation.PING));
		double pingsIn = sum((proxy) -> proxy.frames(Direction.TO_CLIENT, Operation.PING));
		double out = sum((proxy) -> proxy.bytes(Direction.TO_SERVER)) - pingsOut * PING_BYTES_OUT;
		double in = sum((proxy) -> proxy.bytes(Direction.TO_CLIENT)) - pingsIn * PING_BYTES_IN;
		return Sample.of(Metric.REQUESTS, requests() / operations)
			.with(Metric.EVENTS, sum((proxy) -> proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)) / operations)
			.with(Metric.BYTES_OUT, out / operations)
			.with(Metric.BYTES_IN, in / operations);
	}

	private double requests() {
		return sum((proxy) -> proxy.frames(Direction.TO_SERVER, Operation.ANY));
	}

	private double sum(ToLongFunction<FaultProxy> count) {
		return this.proxies.stream().mapToLong(count).sum();
	}

	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::close);
	}

}
