package io.github.zklock.engine;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * The text in our nodes, for people and tools: who is it and since when. It starts with a
 * mark by which our own nodes are known.
 */
final class NodeData {

	private static final String MARK = "zk-lock ";

	private static final Pattern TEXT = Pattern.compile(
			"zk-lock instance=(\\S*)(?: id=(\\S*))? host=(\\S*) pid=(\\d{1,18}) since=\\S* thread=(.*)",
			Pattern.DOTALL);

	// Whole texts have less than 1,024 bytes
	private static final int LONGEST_INSTANCE = 100;

	private static final int LONGEST_HOST = 255;

	private static final int LONGEST_THREAD_NAME = 300;

	private static final Pattern ENCODED = Pattern.compile("(?:[^%]|%\\p{XDigit}{2})*+");

	private final String instance;

	private final Platform platform;

	private final String id;

	private final String who;

	private volatile Second latest = new Second(0);

	/**
	 * Create a text.
	 * @param platform gives the time and ids
	 * @param instance the name of the instance, null for one of the host's name and
	 * something random
	 */
	NodeData(Platform platform, @Nullable String instance) {
		this(platform, instance, host());
	}

	NodeData(Platform platform, @Nullable String instance, String host) {
		this.platform = platform;
		this.id = random(16);
		this.instance = (instance != null) ? instance : nameOn(host);
		this.who = "zk-lock instance=%s id=%s host=%s pid=%d".formatted(LockPath.encode(this.instance), this.id,
				cut(host.replaceAll("\\s", "_"), LONGEST_HOST), ProcessHandle.current().pid());
	}

	private String nameOn(String host) {
		String suffix = "-" + random(8);
		String prefix = host;
		while (LockPath.encode(prefix + suffix).length() > LONGEST_INSTANCE) {
			prefix = prefix.substring(0, prefix.offsetByCodePoints(prefix.length(), -1));
		}
		return prefix + suffix;
	}

	private String random(int digits) {
		return this.platform.newUuid().toString().replace("-", "").substring(0, digits);
	}

	/**
	 * Check the name of an instance.
	 * @throws IllegalArgumentException if it is empty, too long, or not valid Unicode
	 */
	static String requireInstance(String instance) {
		if (instance.isEmpty()) {
			throw new IllegalArgumentException("'instance' must not be empty");
		}
		try {
			if (LockPath.encode(instance).length() <= LONGEST_INSTANCE) {
				return instance;
			}
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'instance' must be valid Unicode but was '%s'".formatted(LockNames.shown(instance)), ex);
		}
		throw new IllegalArgumentException("'instance' must have at most %d bytes, percent-encoded, but '%s' has more"
			.formatted(LONGEST_INSTANCE, LockNames.shown(instance)));
	}

	/**
	 * Return the beginning of a text, with at most so many bytes and no half characters.
	 */
	private static String cut(String text, int bytes) {
		int end = 0;
		int size = 0;
		while (end < text.length()) {
			int codePoint = text.codePointAt(end);
			size += (codePoint < 0x80) ? 1 : (codePoint < 0x800) ? 2 : (codePoint < 0x10000) ? 3 : 4;
			if (size > bytes) {
				return text.substring(0, end);
			}
			end += Character.charCount(codePoint);
		}
		return text;
	}

	String instance() {
		return this.instance;
	}

	/**
	 * Return what only this registry has. Several may have the same name.
	 */
	String id() {
		return this.id;
	}

	/**
	 * Return what a node says that is made or written now.
	 * @param thread the thread that wants the lock, or has it
	 */
	byte[] of(String thread) {
		return (this.who + " since=" + now() + " thread=" + cut(thread, LONGEST_THREAD_NAME))
			.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the time, to the second. Writing it out anew each time would take longer
	 * than all the rest of the text.
	 */
	private String now() {
		long second = this.platform.currentTimeMillis() / 1000;
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
		return matcher.matches() ? new Author(decode(matcher.group(1)), matcher.group(2), matcher.group(3),
				Long.parseLong(matcher.group(4)), matcher.group(5)) : null;
	}

	/**
	 * Decode the name of an instance. What nobody of ours has encoded stays as it is.
	 */
	private static String decode(String encoded) {
		if (encoded.length() > LONGEST_INSTANCE || !ENCODED.matcher(encoded).matches()) {
			return encoded;
		}
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		for (int index = 0; index < encoded.length(); index++) {
			if (encoded.charAt(index) == '%') {
				bytes.write(HexFormat.fromHexDigits(encoded, index + 1, index + 3));
				index += 2;
			}
			else {
				int end = encoded.offsetByCodePoints(index, 1);
				bytes.writeBytes(encoded.substring(index, end).getBytes(StandardCharsets.UTF_8));
				index = end - 1;
			}
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	/**
	 * Who has made a node.
	 *
	 * @param instance the name of the instance
	 * @param id what only this instance has, if it says so
	 * @param host where it runs
	 * @param pid its process
	 * @param thread the thread that made the node
	 */
	record Author(String instance, @Nullable String id, String host, long pid, String thread) {

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
