package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Addresses on 127.0.0.1, where everything of this package listens.
 */
final class Loopback {

	static final String HOST = "127.0.0.1";

	private static final int LOWEST_PORT = 10_000;

	// Linux hands out ports from 32768 on to outgoing connections. A client that keeps
	// trying to reach a stopped server on such a port can connect to itself and so occupy
	// the port for good.
	private static final int HIGHEST_PORT = 32_000;

	private static final int ATTEMPTS = 200;

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
				socket.bind(address(ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT)), 128);
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

}
