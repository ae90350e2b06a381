package io.github.zklock.sample.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback address that nobody listens on.
 */
final class FreePorts {

	// Tests that run at the same time have different numbers from 1 to 8
	private static final int SLICE = Integer.getInteger("zklock.port-slice", 0);

	private static final int LOWEST = 10_000 + 2_500 * (SLICE % 8);

	// Outgoing connections get higher ones. A client that tries to reach a stopped server
	// on such a port can connect to itself, and then the server cannot start again.
	private static final int HIGHEST = (SLICE > 0) ? LOWEST + 2_500 : 32_000;

	private static final int ATTEMPTS = 200;

	// A port that was found is free until it is used, and must not be found again
	private static final Set<Integer> found = new HashSet<>();

	private FreePorts() {
	}

	/**
	 * Find ports that are free now and have not been found before. Another process may
	 * take them before they are used.
	 * @param count how many
	 * @return as many different ports
	 */
	static synchronized List<Integer> find(int count) {
		List<Integer> ports = new ArrayList<>();
		for (int attempt = 0; ports.size() < count; attempt++) {
			if (attempt == ATTEMPTS) {
				throw new IllegalStateException("No free ports between %d and %d".formatted(LOWEST, HIGHEST));
			}
			int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
			if (isFree(port) && found.add(port)) {
				ports.add(port);
			}
		}
		return List.copyOf(ports);
	}

	static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			try {
				socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
				return true;
			}
			catch (IOException ex) {
				return false;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
