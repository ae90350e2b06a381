package io.github.zklock;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Rules for the names of locks and roles: which are valid, how they are shown, and how
 * they become a part of a path.
 */
public final class LockNames {

	/**
	 * How much of a name is shown.
	 */
	private static final int LONGEST_SHOWN = 200;

	private static final int LONGEST_SEGMENT = 255;

	private static final int LONGEST_PREFIX = 180;

	private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	private static final Pattern SEGMENT = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9%._~-]{1,255}");

	private static final int CHUNK = 8192;

	private LockNames() {
	}

	/**
	 * Check a name.
	 * @param name the name of a lock or role
	 * @return the name
	 * @throws IllegalArgumentException if the name is empty or not valid Unicode: it has
	 * a surrogate without its other half
	 */
	public static String requireValid(String name) {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("The name of a lock or role must not be empty");
		}
		for (int index = 0; index < name.length(); index++) {
			if (Character.isSurrogate(name.charAt(index))) {
				if (!Character.isSupplementaryCodePoint(name.codePointAt(index))) {
					throw new IllegalArgumentException("Name '%s' is not valid Unicode".formatted(shown(name)));
				}
				index++;
			}
		}
		return name;
	}

	/**
	 * Return a name as messages and logs show it, so that it can neither fill them nor
	 * pass for a line of its own: at most 200 characters, in which those that are not
	 * visible, that end a line or that change the direction of the text are escaped as in
	 * Java.
	 * @param name the name of a lock or role, or any other text that comes from outside
	 * @return the text to show
	 */
	public static String shown(String name) {
		return isPlain(name) ? name : escape(name);
	}

	private static boolean isPlain(String name) {
		return name.length() <= LONGEST_SHOWN && name.chars().allMatch((value) -> value >= ' ' && value < 0x7f);
	}

	private static String escape(String name) {
		StringBuilder text = new StringBuilder(LONGEST_SHOWN + 32);
		int index = 0;
		while (index < name.length()) {
			int codePoint = name.codePointAt(index);
			String next = isVisible(codePoint) ? Character.toString(codePoint) : escape(codePoint);
			if (text.length() + next.length() > LONGEST_SHOWN) {
				return text.append("... (%d characters)".formatted(name.length())).toString();
			}
			text.append(next);
			index += Character.charCount(codePoint);
		}
		return text.toString();
	}

	private static boolean isVisible(int codePoint) {
		return switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				false;
			default -> true;
		};
	}

	private static String escape(int codePoint) {
		return switch (codePoint) {
			case '\n' -> "\\n";
			case '\r' -> "\\r";
			case '\t' -> "\\t";
			default -> {
				StringBuilder text = new StringBuilder();
				for (char unit : Character.toChars(codePoint)) {
					text.append("\\u%04X".formatted((int) unit));
				}
				yield text.toString();
			}
		};
	}

	/**
	 * Return the last part of the path of the node below which a lock or role is kept in
	 * ZooKeeper.
	 *
	 * <p>
	 * It is the name's UTF-8, in which all but letters, digits, dashes, underscores and
	 * inner dots is percent-encoded, so that nothing in it can lead to another node. If
	 * that has more than 255 bytes, it is cut after 180, or before the percent sign of
	 * what would be cut in two, and a {@code ~} and the SHA-256 of the name's UTF-8 in 64
	 * lower-case hexadecimal digits follow. There is no {@code ~} in it otherwise.
	 * @param name the name of a lock or role
	 * @return the segment, with at most 255 bytes
	 * @throws IllegalArgumentException if the name is empty or not valid Unicode
	 */
	public static String segment(String name) {
		requireValid(name);
		int last = name.length() - 1;
		StringBuilder segment = new StringBuilder();
		for (int index = 0; index <= last && segment.length() <= LONGEST_SEGMENT; index++) {
			int codePoint = name.codePointAt(index);
			if (UNRESERVED.indexOf(codePoint) >= 0 || (codePoint == '.' && index > 0 && index < last)) {
				segment.append((char) codePoint);
			}
			else {
				for (byte value : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
					segment.append('%').append(HexFormat.of().withUpperCase().toHexDigits(value));
				}
				index += Character.charCount(codePoint) - 1;
			}
		}
		return (segment.length() <= LONGEST_SEGMENT) ? segment.toString() : shorten(segment, name);
	}

	/**
	 * Check what is said to be a segment.
	 * @param segment the last part of the path of a node
	 * @return the segment
	 * @throws IllegalArgumentException if no name can have this segment
	 */
	public static String requireSegment(String segment) {
		if (!SEGMENT.matcher(segment).matches()) {
			throw new IllegalArgumentException("'%s' is not the segment of a lock or role".formatted(shown(segment)));
		}
		return segment;
	}

	private static String shorten(StringBuilder segment, String name) {
		int cut = segment.indexOf("%", LONGEST_PREFIX - 2);
		segment.setLength((cut >= 0) ? Math.min(cut, LONGEST_PREFIX) : LONGEST_PREFIX);
		return segment.append('~').append(HexFormat.of().formatHex(digest(name))).toString();
	}

	/**
	 * Digest a name piece by piece: there may be megabytes of it.
	 */
	private static byte[] digest(String name) {
		MessageDigest digest = sha256();
		int end;
		for (int start = 0; start < name.length(); start = end) {
			end = Math.min(start + CHUNK, name.length());
			if (Character.isHighSurrogate(name.charAt(end - 1))) {
				end++;
			}
			digest.update(name.substring(start, end).getBytes(StandardCharsets.UTF_8));
		}
		return digest.digest();
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java has SHA-256", ex);
		}
	}

}
