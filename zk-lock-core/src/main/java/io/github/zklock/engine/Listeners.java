package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.zklock.LockListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all listeners what happens, each on a line of its own, so that none can hold up
 * another or a lock. A line has an end: a listener that does not return misses what comes
 * when it is full.
 */
final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	static final int LONGEST_LINE = 10_000;

	private final List<Line> lines;

	Listeners(List<LockListener> listeners, UserThreads threads) {
		this.lines = listeners.stream().map((listener) -> new Line(listener, threads.inOrder())).toList();
	}

	/**
	 * Tell all listeners. Never fails.
	 */
	void tell(Consumer<LockListener> event) {
		for (Line line : this.lines) {
			EventLoop.attempt(() -> line.tell(event));
		}
	}

	private static final class Line {

		private final LockListener listener;

		private final Executor executor;

		private final AtomicInteger length = new AtomicInteger();

		private final AtomicLong dropped = new AtomicLong();

		Line(LockListener listener, Executor executor) {
			this.listener = listener;
			this.executor = executor;
		}

		void tell(Consumer<LockListener> event) {
			if (this.length.get() >= LONGEST_LINE) {
				drop();
				return;
			}
			this.executor.execute(() -> {
				this.length.decrementAndGet();
				event.accept(this.listener);
			});
			this.length.incrementAndGet();
		}

		private void drop() {
			long count = this.dropped.incrementAndGet();
			if (count % LONGEST_LINE == 1) {
				logger.warn("Listener {} does not keep up: {} events wait for it, so {} were dropped so far."
						+ " A listener must return", this.listener.getClass().getName(), LONGEST_LINE, count);
			}
		}

	}

}
