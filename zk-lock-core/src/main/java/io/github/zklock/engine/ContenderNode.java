package io.github.zklock.engine;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A child that takes part in a lock's queue, whoever made it: its name ends in exactly
 * ten digits. Other children are ignored.
 *
 * @param name the child's name
 * @param sequence its place in the queue
 * @param isShared whether it contends for a share only
 */
record ContenderNode(String name, long sequence, boolean isShared) {

	private static final int DIGITS = 10;

	static @Nullable ContenderNode parse(String name) {
		int number = name.length() - DIGITS;
		if (number < 0 || (number > 0 && isDigit(name.charAt(number - 1)))) {
			return null;
		}
		for (int index = number; index < name.length(); index++) {
			if (!isDigit(name.charAt(index))) {
				return null;
			}
		}
		int sign = isNegative(name, number) ? number - 1 : number;
		return new ContenderNode(name, Long.parseLong(name, sign, name.length(), 10), isShared(name, sign));
	}

	private static boolean isDigit(char character) {
		return character >= '0' && character <= '9';
	}

	/**
	 * Return whether a number has a sign. The dash of "lock-" is none: it takes a second
	 * one.
	 */
	private static boolean isNegative(String name, int number) {
		return number >= 2 && name.charAt(number - 1) == '-'
				&& (name.charAt(number - 2) == '-' || name.charAt(number - 2) == '_');
	}

	/**
	 * Return whether what comes before the number says that this is a reader. A word that
	 * merely ends in "read" does not.
	 */
	private static boolean isShared(String name, int end) {
		return name.startsWith("__READ__", end - 8) || name.startsWith("__rlock__", end - 9)
				|| (name.startsWith("read-", end - 5) && (end == 5 || !Character.isLetter(name.charAt(end - 6))));
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
	 * Return whether the name says that nothing comes back with the same number when this
	 * node has gone: instead of the write nodes of other clients a read node may.
	 */
	boolean staysAway() {
		return this.sequence >= 0
				&& (this.isShared || this.name.startsWith("-lock-", this.name.length() - DIGITS - "-lock-".length()));
	}

}
