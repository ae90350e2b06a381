package io.github.zklock.zookeeper;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the nodes of one lock or role are.
 *
 * @param name the lock's name, or the role
 * @param parent the path of the node whose children contend for it
 */
record LockPath(String name, String parent) {

	private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	/**
	 * Return the path of a lock or role.
	 * @throws IllegalArgumentException if the name is empty or has a lone surrogate
	 */
	static LockPath of(String root, String kind, String name) {
		String base = root.equals("/") ? "" : root;
		return new LockPath(name, base + "/" + kind + "/" + encode(name));
	}

	/**
	 * Encode a name into one path segment, so that nothing in it can lead out of the
	 * root.
	 */
	static String encode(String name) {
		if (name.isEmpty()) {
			throw new IllegalArgumentException("The name of a lock or role must not be empty");
		}
		StringBuilder segment = new StringBuilder(name.length() + 16);
		ByteBuffer bytes = utf8(name);
		int last = bytes.limit() - 1;
		for (int index = 0; index <= last; index++) {
			int value = bytes.get(index) & 0xff;
			if (UNRESERVED.indexOf(value) >= 0 || (value == '.' && index > 0 && index < last)) {
				segment.append((char) value);
			}
			else {
				segment.append('%').append(hex(value >> 4)).append(hex(value & 0xf));
			}
		}
		return segment.toString();
	}

	private static char hex(int digit) {
		return "0123456789ABCDEF".charAt(digit);
	}

	private static ByteBuffer utf8(String name) {
		try {
			return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
		}
		catch (CharacterCodingException ex) {
			throw new IllegalArgumentException("Name '%s' is not valid Unicode".formatted(name), ex);
		}
	}

	String child(String node) {
		return this.parent + "/" + node;
	}

	/**
	 * Return the parent and the nodes above it, topmost first.
	 */
	List<String> levels() {
		return IntStream.range(1, this.parent.length() + 1)
			.filter((end) -> end == this.parent.length() || this.parent.charAt(end) == '/')
			.mapToObj((end) -> this.parent.substring(0, end))
			.toList();
	}

}
