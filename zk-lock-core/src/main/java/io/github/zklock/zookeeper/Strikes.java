package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Which nodes are suspected to cost the connection when they are read, because what they
 * contain is more than the client accepts: with the connection, the answers for every
 * other lock are lost. Three strikes and a node's children are not read for a while, then
 * once, for a try. Thread-safe.
 */
final class Strikes {

	/**
	 * So many lost connections are no accident.
	 */
	static final int OUT = 3;

	private static final long FIRST_PAUSE = Duration.ofSeconds(30).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofMinutes(5).toNanos();

	private static final int MOST_PATHS = 1_000;

	private final LongSupplier clock;

	private final Map<String, Entry> entries = new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
			return size() > MOST_PATHS;
		}

	};

	/**
	 * Begin without a suspicion.
	 * @param clock the time, as {@link System#nanoTime()}
	 */
	Strikes(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * The connection was lost while this read was the oldest without an answer.
	 */
	synchronized void add(String path) {
		Entry entry = this.entries.computeIfAbsent(path, (key) -> new Entry());
		entry.count++;
		entry.trying = false;
		if (entry.count >= OUT) {
			entry.pauseEnd = this.clock.getAsLong() + entry.pause;
			entry.pause = Math.min(2 * entry.pause, LONGEST_PAUSE);
		}
	}

	/**
	 * It has been answered.
	 */
	synchronized void clear(String path) {
		this.entries.remove(path);
	}

	/**
	 * The connection was lost, but perhaps not by this read.
	 */
	synchronized void undecided(String path) {
		Entry entry = this.entries.get(path);
		if (entry != null) {
			entry.trying = false;
		}
	}

	synchronized int count(String path) {
		Entry entry = this.entries.get(path);
		return (entry != null) ? entry.count : 0;
	}

	/**
	 * Return whether a node is not to be read now.
	 */
	synchronized boolean isOut(String path) {
		return isOut(this.entries.get(path));
	}

	/**
	 * Ask whether a node may be read. When its pause is over, one may try, and the others
	 * go on pausing until that is answered.
	 * @return whether it may
	 */
	synchronized boolean tryRead(String path) {
		Entry entry = this.entries.get(path);
		if (isOut(entry)) {
			return false;
		}
		if (entry != null && entry.count >= OUT) {
			entry.trying = true;
		}
		return true;
	}

	private boolean isOut(@Nullable Entry entry) {
		return entry != null && entry.count >= OUT && (entry.trying || this.clock.getAsLong() - entry.pauseEnd < 0);
	}

	private static final class Entry {

		private int count;

		private long pause = FIRST_PAUSE;

		private long pauseEnd;

		private boolean trying;

	}

}
