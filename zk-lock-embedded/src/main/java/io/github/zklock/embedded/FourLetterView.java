package io.github.zklock.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooKeeper;

/**
 * View of a server in another process, by its four letter words. Only
 * {@link #children(String)} opens a session of its own, which the counts then include.
 */
final class FourLetterView implements ServerView {

	private static final int TIMEOUT_MILLIS = 20_000;

	private static final Pattern SESSION = Pattern.compile("^\\s*0x([0-9a-f]+)", Pattern.MULTILINE);

	private final int port;

	FourLetterView(int port) {
		this.port = port;
	}

	/**
	 * Send a four letter word.
	 * @return the whole answer
	 * @throws IOException if the server does not answer
	 */
	String ask(String word) throws IOException {
		try (Socket socket = new Socket()) {
			socket.connect(Loopback.address(this.port), TIMEOUT_MILLIS);
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
			socket.getOutputStream().flush();
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	private long count(String key) {
		String answer = require("mntr");
		Matcher line = Pattern.compile("^" + key + "\\t(\\d+)", Pattern.MULTILINE).matcher(answer);
		if (!line.find()) {
			throw new IllegalStateException(
					"ZooKeeper server on port %d is not serving: %s".formatted(this.port, answer));
		}
		return Long.parseLong(line.group(1));
	}

	private String require(String word) {
		try {
			return ask(word);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(
					"ZooKeeper server on port %d does not answer '%s'".formatted(this.port, word), ex);
		}
	}

	@Override
	public long watchCount() {
		return count("zk_watch_count");
	}

	@Override
	public long ephemeralCount() {
		return count("zk_ephemerals_count");
	}

	@Override
	public long packetsReceived() {
		return count("zk_packets_received");
	}

	@Override
	public long packetsSent() {
		return count("zk_packets_sent");
	}

	@Override
	public long connectionCount() {
		return count("zk_num_alive_connections");
	}

	@Override
	public Set<Long> sessions() {
		return SESSION.matcher(section("SessionTracker dump:", "ephemeral nodes dump:"))
			.results()
			.map((match) -> Long.parseUnsignedLong(match.group(1), 16))
			.collect(Collectors.toUnmodifiableSet());
	}

	@Override
	public List<String> ephemerals(long sessionId) {
		return section("0x" + Long.toHexString(sessionId) + ":", "0x").lines()
			.map(String::strip)
			.filter((line) -> line.startsWith("/"))
			.sorted()
			.toList();
	}

	/**
	 * Return what a dump says after one line and before the next that starts like
	 * another.
	 */
	private String section(String heading, String next) {
		return require("dump").lines()
			.dropWhile((line) -> !line.equals(heading))
			.skip(1)
			.takeWhile((line) -> !line.startsWith(next) && !line.startsWith("Connections dump:"))
			.collect(Collectors.joining("\n"));
	}

	@Override
	public List<String> children(String path) {
		try {
			CountDownLatch connected = new CountDownLatch(1);
			ZooKeeper client = new ZooKeeper(Loopback.connectString(this.port), TIMEOUT_MILLIS,
					(event) -> connected.countDown());
			try {
				if (!connected.await(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
					throw new IllegalStateException("No connection to ZooKeeper server on port " + this.port);
				}
				return client.getChildren(path, false).stream().sorted().toList();
			}
			finally {
				client.close();
			}
		}
		catch (NoNodeException ex) {
			return List.of();
		}
		catch (KeeperException ex) {
			throw new IllegalStateException("Cannot list '%s' on port %d".formatted(path, this.port), ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while listing " + path, ex);
		}
	}

}
