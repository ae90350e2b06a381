package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A TCP proxy between ZooKeeper clients and a server that knows the frames of the
 * protocol. It counts them, and it breaks connections at exactly the frame that a test is
 * about. Without a fault it passes everything on. Thread-safe.
 *
 * <p>
 * Rules such as {@link #cutAfter} wait for the n-th frame of an operation, counted from
 * the call on and over all connections, act once and are gone. Other connections and
 * later ones go on as if nothing had happened; {@link #refuse()} keeps clients out. Every
 * rule counts every frame, also one on which another rule acts. If several wait for the
 * same frame, the oldest decides what happens to it, and all are done with it.
 */
public final class FaultProxy implements AutoCloseable {

	private final FrameTraffic traffic = new FrameTraffic();

	private final Relay relay;

	private FaultProxy(InetSocketAddress target) {
		try {
			this.relay = new Relay(target, this.traffic, Duration.ZERO);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot open a port for a proxy", ex);
		}
	}

	/**
	 * Start a proxy in front of a server.
	 * @param server the server's {@code host:port}
	 * @return the proxy
	 */
	public static FaultProxy to(String server) {
		FaultProxy proxy = new FaultProxy(parse(server));
		proxy.relay.start();
		return proxy;
	}

	private static InetSocketAddress parse(String server) {
		if (server.contains(",")) {
			throw new IllegalArgumentException(
					"'server' must be one server, as a proxy leads to one only, but was '%s'".formatted(server));
		}
		int colon = server.lastIndexOf(':');
		if (colon < 1 || !server.substring(colon + 1).matches("\\d{1,5}")) {
			throw new IllegalArgumentException("'server' must be host:port but was '%s'".formatted(server));
		}
		return new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
	}

	/**
	 * Return what a client needs to connect through this proxy.
	 * @return the connect string, {@code 127.0.0.1:port}
	 */
	public String connectString() {
		return Loopback.connectString(this.relay.port());
	}

	/**
	 * Send connections that are made from now on to another server. Present ones stay
	 * where they are; {@link #cut()} makes their clients connect again.
	 * @param server the server's {@code host:port}
	 */
	public void retarget(String server) {
		this.relay.retarget(parse(server));
	}

	/**
	 * Lengthen the way to the server and back, from the next frame on. Frames that are
	 * sent together arrive together, as on a long line.
	 * @param roundTrip the time to add to each round trip, half of it each way
	 */
	public void delay(Duration roundTrip) {
		if (roundTrip.isNegative()) {
			throw new IllegalArgumentException("'roundTrip' must not be negative but was " + roundTrip);
		}
		Duration half = roundTrip.dividedBy(2);
		this.relay.valve(Direction.TO_SERVER).delay(half);
		this.relay.valve(Direction.TO_CLIENT).delay(roundTrip.minus(half));
	}

	/**
	 * Close all present connections.
	 */
	public void cut() {
		this.relay.cut();
	}

	/**
	 * Close all present connections, and new ones as soon as they are made, until
	 * {@link #heal()}.
	 */
	public void refuse() {
		this.relay.refuse(true);
		cut();
	}

	/**
	 * Swallow everything in both directions, without closing a connection, until
	 * {@link #heal()}.
	 */
	public void swallow() {
		swallow(Direction.TO_SERVER);
		swallow(Direction.TO_CLIENT);
	}

	/**
	 * Swallow everything in one direction, without closing a connection, until
	 * {@link #heal()}.
	 * @param direction the direction
	 */
	public void swallow(Direction direction) {
		this.relay.valve(direction).set(Valve.State.SWALLOWING);
	}

	/**
	 * Hold everything back in one direction. What was held arrives, in order, at the next
	 * {@link #heal()}.
	 * @param direction the direction
	 */
	public void hold(Direction direction) {
		this.relay.valve(direction).set(Valve.State.HOLDING);
	}

	/**
	 * Pass on what is held back in one direction, and what follows. The other direction
	 * stays as it is.
	 * @param direction the direction
	 */
	public void release(Direction direction) {
		this.relay.valve(direction).set(Valve.State.OPEN);
	}

	/**
	 * End all faults: forget the rules that have not acted, let in new connections, pass
	 * on what was held back, and close the connections from which something was
	 * swallowed, as their streams have a hole. The {@link #delay} stays.
	 */
	public void heal() {
		this.relay.heal();
	}

	/**
	 * Cut the connection before the n-th request of an operation: the server never sees
	 * the request.
	 * @param operation the operation
	 * @param n which request, 1 for the next one
	 * @return tells when it has happened
	 */
	public Trigger cutBefore(Operation operation, int n) {
		return rule(Direction.TO_SERVER, operation, n, RelayTraffic.Verdict.CUT);
	}

	/**
	 * Cut the connection after the n-th request of an operation: the server has executed
	 * and answered it, the client never sees the reply.
	 * @param operation the operation
	 * @param n which request, 1 for the next one that is answered
	 * @return tells when it has happened
	 */
	public Trigger cutAfter(Operation operation, int n) {
		return rule(Direction.TO_CLIENT, operation, n, RelayTraffic.Verdict.CUT);
	}

	/**
	 * Cut the connection after the n-th frame of an operation in the given direction has
	 * been passed on.
	 * @param direction the direction
	 * @param operation the operation
	 * @param n which frame, 1 for the next one
	 * @return tells when it has happened
	 */
	public Trigger passThenCut(Direction direction, Operation operation, int n) {
		return rule(direction, operation, n, RelayTraffic.Verdict.PASS_THEN_CUT);
	}

	/**
	 * Leave out the n-th frame of an operation in the given direction and pass on the
	 * others. A ZooKeeper client drops the connection as soon as it misses a reply.
	 * @param direction the direction
	 * @param operation the operation
	 * @param n which frame, 1 for the next one
	 * @return tells when it has happened
	 */
	public Trigger drop(Direction direction, Operation operation, int n) {
		return rule(direction, operation, n, RelayTraffic.Verdict.DROP);
	}

	/**
	 * Hold back the n-th frame of an operation and everything behind it in that
	 * direction, until {@link #heal()}.
	 * @param direction the direction
	 * @param operation the operation
	 * @param n which frame, 1 for the next one
	 * @return tells when it has happened
	 */
	public Trigger hold(Direction direction, Operation operation, int n) {
		return rule(direction, operation, n, RelayTraffic.Verdict.HOLD);
	}

	private Trigger rule(Direction direction, Operation operation, int n, RelayTraffic.Verdict verdict) {
		FrameRule rule = new FrameRule(direction, operation, n, verdict);
		this.traffic.add(rule);
		return rule;
	}

	/**
	 * Return the number of frames that came from one side, passed on or not.
	 * @param direction the direction
	 * @return the number of frames
	 */
	public long frames(Direction direction) {
		return this.traffic.frames(direction);
	}

	/**
	 * Return the number of frames of an operation that came from one side, passed on or
	 * not.
	 * @param direction the direction
	 * @param operation the operation
	 * @return the number of frames
	 */
	public long frames(Direction direction, Operation operation) {
		return this.traffic.frames(direction, operation);
	}

	/**
	 * Return the number of bytes that came from one side, passed on or not.
	 * @param direction the direction
	 * @return the number of bytes
	 */
	public long bytes(Direction direction) {
		return this.traffic.bytes(direction);
	}

	/**
	 * Set all counts to zero.
	 */
	public void resetCounts() {
		this.traffic.resetCounts();
	}

	/**
	 * Return the number of clients that are connected through this proxy.
	 * @return the number of open connections
	 */
	public int connectionCount() {
		return this.relay.connectionCount();
	}

	/**
	 * Close the proxy and all its connections.
	 */
	@Override
	public void close() {
		try {
			this.relay.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Tells whether a rule has acted. It does so only afterwards: a connection to cut is
	 * closed, a frame to hold back is held and the next {@link #heal()} releases it.
	 */
	public interface Trigger {

		/**
		 * Return whether the rule has acted.
		 * @return whether the rule has acted
		 */
		boolean hasFired();

		/**
		 * Wait until the rule has acted.
		 * @param timeout how long to wait
		 * @return whether the rule has acted
		 * @throws InterruptedException if interrupted while waiting
		 */
		boolean await(Duration timeout) throws InterruptedException;

	}

}
