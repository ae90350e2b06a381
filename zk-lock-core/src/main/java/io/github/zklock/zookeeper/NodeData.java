package io.github.zklock.zookeeper;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;

/**
 * The text in our nodes, for people and tools: who is it and since when. It starts with a
 * mark by which our own nodes are known.
 */
final class NodeData {

	private static final byte[] MARK = "zk-lock ".getBytes(StandardCharsets.UTF_8);

	private static final int LONGEST_THREAD_NAME = 100;

	private final String instance = UUID.randomUUID().toString().substring(0, 8);

	private final String who = "zk-lock instance=%s host=%s pid=%d".formatted(this.instance, host(),
			ProcessHandle.current().pid());

	String instance() {
		return this.instance;
	}

	byte[] of(Thread thread) {
		String name = thread.getName();
		return String
			.format(Locale.ROOT, "%s since=%s thread=%s", this.who, Instant.now().truncatedTo(ChronoUnit.MILLIS),
					(name.length() > LONGEST_THREAD_NAME) ? name.substring(0, LONGEST_THREAD_NAME) : name)
			.getBytes(StandardCharsets.UTF_8);
	}

	static boolean isOurs(byte[] data) {
		return data.length >= MARK.length && Arrays.equals(data, 0, MARK.length, MARK, 0, MARK.length);
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
