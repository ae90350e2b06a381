package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Addresses on 127.0.0.1, where everything of this package listens. JVMs that run at the
 * same time keep out of each other's way if each has a number of its own from 1 to 8 in
 * the system property {@code zklock.port-slice}.
 */
final class Loopback {

	static final String HOST = "127.0.0.1";

	private static final int LOWEST_PORT = 10_000;

	// Linux hands out ports from 32768 on to outgoing connections. A client that keeps
	// trying to reach a stopped server on such a port can connect to itself and so occupy
	// the port for good.
	private static final int HIGHEST_PORT = 32_000;

	private static final int SLICES = 8;

	private static final int ATTEMPTS = 200;

	private static final Range PORTS = Range.of(Integer.getInteger("zklock.port-slice", 0));

	// One after the other: a port whose server is stopped for a while is not given to
	// anybody else so soon
	private static final AtomicInteger next = new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS.count()));

	private Loopback() {
	}

	static InetSocketAddress address(int port) {
		try {
			return new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] { 127, 0, 0, 1 }), port);
		}
		catch (UnknownHostException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String connectString(int port) {
		return HOST + ":" + port;
	}

	/**
	 * Bind a server socket to a free port with five digits.
	 * @return the listening socket
	 */
	static ServerSocket listen() throws IOException {
		for (int attempt = 1;; attempt++) {
			ServerSocket socket = new ServerSocket();
			try {
				socket.bind(address(PORTS.get(next.getAndIncrement())), 128);
				return socket;
			}
			catch (IOException ex) {
				socket.close();
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Find a port with five digits that is free now. Somebody else may take it before it
	 * is used.
	 * @return the port
	 */
	static int freePort() {
		try (ServerSocket socket = listen()) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The ports that this JVM takes.
	 */
	record Range(int lowest, int count) {

		static Range of(int slice) {
			int all = HIGHEST_PORT - LOWEST_PORT;
			if (slice == 0) {
				return new Range(LOWEST_PORT, all);
			}
			int count = all / SLICES;
			return new Range(LOWEST_PORT + count * (slice % SLICES), count);
		}

		int get(int index) {
			return this.lowest + Math.floorMod(index, this.count);
		}

	}

}
