package io.github.zklock.embedded;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Free ports that nobody else is given until all of them are released together.
 */
final class ReservedPorts implements AutoCloseable {

	private final List<ServerSocket> sockets = new ArrayList<>();

	int take() throws IOException {
		ServerSocket socket = Loopback.listen();
		this.sockets.add(socket);
		return socket.getLocalPort();
	}

	@Override
	public void close() throws IOException {
		for (ServerSocket socket : this.sockets) {
			socket.close();
		}
	}

}
