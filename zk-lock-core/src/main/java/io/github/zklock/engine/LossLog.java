package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockNames;
import io.github.zklock.LossReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the locks that are lost: a line for each, or one line for all that are lost for
 * the same reason at about the same time, so that thousands of them neither fill the log
 * nor keep the event loop busy. Thread-safe.
 */
final class LossLog {

	private static final Logger logger = LoggerFactory.getLogger(LossLog.class);

	private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int MOST_NAMES = 5;

	private final EventLoop loop;

	private final Executor background;

	private Map<LossReason, Batch> batches = new EnumMap<>(LossReason.class);

	private boolean scheduled;

	/**
	 * Create a log.
	 * @param loop says when it is time to write
	 * @param background writes
	 */
	LossLog(EventLoop loop, Executor background) {
		this.loop = loop;
		this.background = background;
	}

	/**
	 * A lock was lost. Never fails.
	 */
	void lost(String name, Duration held, Loss loss) {
		EventLoop.attempt(() -> add(name, held, loss));
	}

	private synchronized void add(String name, Duration held, Loss loss) {
		this.batches.computeIfAbsent(loss.reason(), (reason) -> new Batch(loss)).add(name, held);
		if (!this.scheduled) {
			this.loop.schedule(this::writeSoon, PAUSE);
			this.scheduled = true;
		}
	}

	private void writeSoon() {
		synchronized (this) {
			this.scheduled = false;
		}
		EventLoop.attempt(() -> this.background.execute(this::write));
	}

	/**
	 * Write what has not been written yet.
	 */
	void write() {
		Map<LossReason, Batch> written;
		synchronized (this) {
			written = this.batches;
			this.batches = new EnumMap<>(LossReason.class);
		}
		written.values().forEach(Batch::write);
	}

	/**
	 * What was lost for one reason.
	 */
	private static final class Batch {

		private final Loss first;

		private final List<String> names = new ArrayList<>(1);

		private Duration shortest = Duration.ZERO;

		private Duration longest = Duration.ZERO;

		private int count;

		Batch(Loss first) {
			this.first = first;
		}

		void add(String name, Duration held) {
			this.shortest = (this.count == 0 || held.compareTo(this.shortest) < 0) ? held : this.shortest;
			this.longest = (held.compareTo(this.longest) > 0) ? held : this.longest;
			if (this.names.size() < MOST_NAMES) {
				this.names.add("'" + LockNames.shown(name) + "'");
			}
			this.count++;
		}

		void write() {
			if (this.count == 1) {
				logger.warn("Lock {} was lost after {} ms: {}", this.names.get(0), this.longest.toMillis(),
						this.first.description());
				return;
			}
			int others = this.count - this.names.size();
			logger.warn("{} locks were lost after {} to {} ms ({}{}): {}", this.count, this.shortest.toMillis(),
					this.longest.toMillis(), String.join(", ", this.names),
					(others > 0) ? " and " + others + " others" : "", this.first.description());
		}

	}

}
