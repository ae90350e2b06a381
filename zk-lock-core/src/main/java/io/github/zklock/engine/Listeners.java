package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.zklock.LockListener;
import org.jspecify.annotations.Nullable;
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

	private static final LockListener NOBODY = new LockListener() {
	};

	private final List<Line> lines;

	Listeners(List<Supplier<? extends LockListener>> listeners, CallbackThreads threads) {
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

		private final Supplier<? extends LockListener> factory;

		private volatile @Nullable LockListener listener;

		private final Executor executor;

		private final AtomicInteger length = new AtomicInteger();

		private final AtomicLong dropped = new AtomicLong();

		Line(Supplier<? extends LockListener> factory, Executor executor) {
			this.factory = factory;
			this.executor = executor;
		}

		void tell(Consumer<LockListener> event) {
			if (this.length.get() >= LONGEST_LINE) {
				drop();
				return;
			}
			this.executor.execute(() -> {
				this.length.decrementAndGet();
				event.accept(listener());
			});
			this.length.incrementAndGet();
		}

		/**
		 * Return the listener, which is made when there is something to hear. In the
		 * line.
		 */
		private LockListener listener() {
			LockListener present = this.listener;
			if (present == null) {
				present = make();
				this.listener = present;
			}
			return present;
		}

		private LockListener make() {
			try {
				return this.factory.get();
			}
			catch (RuntimeException ex) {
				logger.error("A listener could not be created, so it receives no events", ex);
				return NOBODY;
			}
		}

		private String name() {
			LockListener present = this.listener;
			return (present != null) ? present.getClass().getName() : "(not made yet)";
		}

		private void drop() {
			long count = this.dropped.incrementAndGet();
			if (count % LONGEST_LINE == 1) {
				logger.warn("Listener {} does not keep up: {} events wait for it, so {} were dropped so far."
						+ " A listener must return", name(), LONGEST_LINE, count);
			}
		}

	}

}
