package io.github.zklock.zookeeper;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A child that takes part in a lock's queue, whoever made it: its name ends in exactly
 * ten digits. Others are none of our business.
 *
 * @param name the child's name
 * @param sequence its place in the queue
 * @param isShared whether it contends for a share only
 */
record ContenderNode(String name, long sequence, boolean isShared) {

	/**
	 * The length of a name that zk-lock makes, and other clients too: a prefix, a UUID
	 * and a number.
	 */
	static final int USUAL_LENGTH = 55;

	// The dash of "lock-" is no sign: a number is negative only with a second one
	private static final Pattern SEQUENCE = Pattern.compile("(?:(?<=[-_])-)?(?<!\\d)\\d{10}\\z");

	// A word that merely ends in "read" is no read node
	private static final Pattern SHARED = Pattern.compile("(?:__READ__|__rlock__|(?<![A-Za-z])read-)\\z");

	static @Nullable ContenderNode parse(String name) {
		Matcher sequence = SEQUENCE.matcher(name);
		if (!sequence.find()) {
			return null;
		}
		boolean shared = SHARED.matcher(name.substring(0, sequence.start())).find();
		return new ContenderNode(name, Long.parseLong(sequence.group()), shared);
	}

	static List<ContenderNode> parseAll(List<String> names) {
		return names.stream().map(ContenderNode::parse).filter(Objects::nonNull).toList();
	}

	/**
	 * Return whether this node has to go before another may have the lock. Equal numbers
	 * block each other: after an overflow nobody knows who was first.
	 */
	boolean blocks(ContenderNode other) {
		return this.sequence <= other.sequence && !this.name.equals(other.name) && !(this.isShared && other.isShared);
	}

	/**
	 * Return whether the name says that this node never comes back with the same number:
	 * the write nodes of other clients may, as read nodes.
	 */
	boolean isPlainLock() {
		String number = (this.sequence < 0) ? "" : String.format(Locale.ROOT, "%010d", this.sequence);
		return this.name.endsWith("-lock-" + number);
	}

}
