package io.github.zklock.zookeeper;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The text in our nodes, for people and tools: who is it and since when. It starts with a
 * mark by which our own nodes are known.
 */
final class NodeData {

	private static final String MARK = "zk-lock ";

	private static final Pattern TEXT = Pattern
		.compile("zk-lock instance=(\\S*) host=(\\S*) pid=(\\d{1,18}) since=\\S* thread=(.*)", Pattern.DOTALL);

	private static final int LONGEST_THREAD_NAME = 100;

	private final String instance = UUID.randomUUID().toString().substring(0, 8);

	private final String who = "zk-lock instance=%s host=%s pid=%d".formatted(this.instance, host(),
			ProcessHandle.current().pid());

	private volatile Second latest = new Second(0);

	String instance() {
		return this.instance;
	}

	byte[] of(String thread) {
		String shown = (thread.length() > LONGEST_THREAD_NAME) ? thread.substring(0, LONGEST_THREAD_NAME) : thread;
		return (this.who + " since=" + now() + " thread=" + shown).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the time, to the second. Writing it out anew each time would take longer
	 * than all the rest of the text.
	 */
	private String now() {
		long second = System.currentTimeMillis() / 1000;
		Second latest = this.latest;
		if (latest.second() != second) {
			latest = new Second(second);
			this.latest = latest;
		}
		return latest.text();
	}

	/**
	 * A point in time.
	 *
	 * @param second seconds since 1970
	 * @param text the same for people
	 */
	private record Second(long second, String text) {

		Second(long second) {
			this(second, Instant.ofEpochSecond(second).toString());
		}

	}

	static boolean isOurs(String text) {
		return text.startsWith(MARK);
	}

	/**
	 * Return a node's data as text.
	 */
	static String text(byte @Nullable [] data) {
		return (data != null) ? new String(data, StandardCharsets.UTF_8) : "";
	}

	/**
	 * Return who has written a text, if it is one of ours.
	 */
	static @Nullable Author author(String text) {
		Matcher matcher = TEXT.matcher(text);
		return matcher.matches()
				? new Author(matcher.group(1), matcher.group(2), Long.parseLong(matcher.group(3)), matcher.group(4))
				: null;
	}

	/**
	 * Who has made a node.
	 *
	 * @param instance the instance
	 * @param host where it runs
	 * @param pid its process
	 * @param thread the thread that made the node
	 */
	record Author(String instance, String host, long pid, String thread) {

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
