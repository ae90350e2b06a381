package io.github.zklock.engine;

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

	// The eldest first
	private final Map<String, Suspicion> suspicions = new LinkedHashMap<>();

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
		Suspicion suspicion = this.suspicions.computeIfAbsent(path, (key) -> new Suspicion());
		if (this.suspicions.size() > MOST_PATHS) {
			this.suspicions.remove(this.suspicions.keySet().iterator().next());
		}
		suspicion.count++;
		suspicion.trying = false;
		if (suspicion.count >= OUT) {
			suspicion.pauseEnd = this.clock.getAsLong() + suspicion.pause;
			suspicion.pause = Math.min(2 * suspicion.pause, LONGEST_PAUSE);
		}
	}

	/**
	 * It has been answered.
	 */
	synchronized void clear(String path) {
		this.suspicions.remove(path);
	}

	/**
	 * The connection was lost, but perhaps not by this read.
	 */
	synchronized void undecided(String path) {
		Suspicion suspicion = this.suspicions.get(path);
		if (suspicion != null) {
			suspicion.trying = false;
		}
	}

	synchronized int count(String path) {
		Suspicion suspicion = this.suspicions.get(path);
		return (suspicion != null) ? suspicion.count : 0;
	}

	/**
	 * Return whether a node is not to be read now.
	 */
	synchronized boolean isOut(String path) {
		return isOut(this.suspicions.get(path));
	}

	/**
	 * Ask whether a node may be read. When its pause is over, one may try, and the others
	 * go on pausing until that is answered.
	 * @return whether it may
	 */
	synchronized boolean tryRead(String path) {
		Suspicion suspicion = this.suspicions.get(path);
		if (isOut(suspicion)) {
			return false;
		}
		if (suspicion != null && suspicion.count >= OUT) {
			suspicion.trying = true;
		}
		return true;
	}

	private boolean isOut(@Nullable Suspicion suspicion) {
		return suspicion != null && suspicion.count >= OUT
				&& (suspicion.trying || this.clock.getAsLong() - suspicion.pauseEnd < 0);
	}

	private static final class Suspicion {

		private int count;

		private long pause = FIRST_PAUSE;

		private long pauseEnd;

		private boolean trying;

	}

}
