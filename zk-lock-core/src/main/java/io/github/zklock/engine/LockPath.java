package io.github.zklock.engine;

import java.util.List;
import java.util.stream.IntStream;

import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;

/**
 * Where the nodes of one lock or role are.
 *
 * @param name the lock's name, or the role
 * @param parent the path of the node whose children contend for it
 */
record LockPath(String name, String parent) {

	/**
	 * Return the path of a lock or role.
	 * @throws IllegalArgumentException if the name is empty or has a lone surrogate
	 */
	static LockPath of(String root, String kind, String name) {
		return new LockPath(name, parent(root, kind, encode(name)));
	}

	/**
	 * Return the path of a lock or role of which only the last part of the path is known.
	 * @throws IllegalArgumentException if no name has this segment
	 */
	static LockPath ofSegment(String root, String kind, String segment) {
		return new LockPath(segment, parent(root, kind, LockNames.requireSegment(segment)));
	}

	private static String parent(String root, String kind, String segment) {
		String base = root.equals("/") ? "" : root;
		return base + "/" + kind + "/" + segment;
	}

	/**
	 * Encode a name into one path segment, so that nothing in it can lead out of the
	 * root.
	 */
	static String encode(String name) {
		return LockNames.segment(name);
	}

	String child(String node) {
		return this.parent + "/" + node;
	}

	/**
	 * Return what the name of a child says of it, null if it does not contend.
	 * @param child the path of a child
	 */
	@Nullable ContenderNode parse(String child) {
		return ContenderNode.parse(child.substring(this.parent.length() + 1));
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
