package io.github.zklock.engine;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.github.zklock.leader.LeadershipListener;
import org.jspecify.annotations.Nullable;

/**
 * Tells all listeners of an election what happens, each on a line of its own, and knows
 * who has heard it.
 */
final class LeadershipListeners {

	private final UserThreads users;

	private final Runnable onHeard;

	private final List<Line> lines = new CopyOnWriteArrayList<>();

	/**
	 * Begin without listeners.
	 * @param users the threads on which they are called
	 * @param onHeard run each time somebody has heard something, or is not to hear it any
	 * more
	 */
	LeadershipListeners(UserThreads users, Runnable onHeard) {
		this.users = users;
		this.onHeard = onHeard;
	}

	/**
	 * Add a listener, unless it is there.
	 * @param past what it has to hear first
	 */
	void add(LeadershipListener listener, List<Consumer<LeadershipListener>> past) {
		if (this.lines.stream().anyMatch((line) -> line.isFor(listener))) {
			return;
		}
		Line line = new Line(listener, this.users.inOrder(), this.onHeard);
		past.forEach(line::add);
		this.lines.add(line);
		line.callForAll();
	}

	void remove(LeadershipListener listener) {
		this.lines.removeIf((line) -> line.isRemoved(listener));
		this.onHeard.run();
	}

	boolean isEmpty() {
		return this.lines.isEmpty();
	}

	void tell(Consumer<LeadershipListener> event) {
		this.lines.forEach((line) -> line.add(event));
		this.lines.forEach(Line::call);
	}

	/**
	 * Tell what an error has kept from being told.
	 */
	void tellAgain() {
		this.lines.forEach(Line::callForAll);
	}

	/**
	 * Return whether all listeners have heard what they were told, but those who are
	 * excused.
	 */
	boolean haveHeardAll() {
		return this.lines.stream().allMatch(Line::hasHeardAll);
	}

	/**
	 * If the current thread is calling a listener, do not wait for that one before it has
	 * returned: it may wait itself.
	 */
	void excuseCaller() {
		this.lines.forEach(Line::excuseCaller);
	}

	/**
	 * Wait for all from now on.
	 */
	void excuseNobody() {
		this.lines.forEach((line) -> line.excused = false);
	}

	private static final class Line {

		private final LeadershipListener listener;

		private final Executor executor;

		private final Runnable onHeard;

		private final Queue<Consumer<LeadershipListener>> events = new ConcurrentLinkedQueue<>();

		private final AtomicInteger unheard = new AtomicInteger();

		private volatile @Nullable Thread caller;

		private volatile boolean excused;

		private volatile boolean removed;

		Line(LeadershipListener listener, Executor executor, Runnable onHeard) {
			this.listener = listener;
			this.executor = executor;
			this.onHeard = onHeard;
		}

		boolean isFor(LeadershipListener asked) {
			return this.listener == asked;
		}

		boolean isRemoved(LeadershipListener unwanted) {
			this.removed |= isFor(unwanted);
			return this.removed;
		}

		boolean hasHeardAll() {
			return this.excused || this.unheard.get() == 0;
		}

		void excuseCaller() {
			if (this.caller == Thread.currentThread()) {
				this.excused = true;
			}
		}

		void add(Consumer<LeadershipListener> event) {
			this.events.add(event);
			this.unheard.incrementAndGet();
		}

		/**
		 * Have the listener called for one event.
		 */
		void call() {
			this.executor.execute(this::callNow);
		}

		void callForAll() {
			this.events.forEach((event) -> call());
		}

		/**
		 * Call the listener for all that it has not heard. A call of its own for each
		 * event is not enough: an error may have prevented one.
		 */
		private void callNow() {
			Consumer<LeadershipListener> event = this.events.poll();
			while (event != null) {
				call(event);
				// The interrupt of one call is none of the next one's business
				Thread.interrupted();
				event = this.events.poll();
			}
		}

		private void call(Consumer<LeadershipListener> event) {
			this.caller = Thread.currentThread();
			try {
				if (!this.removed) {
					event.accept(this.listener);
				}
			}
			finally {
				this.caller = null;
				this.excused = false;
				this.unheard.decrementAndGet();
				this.onHeard.run();
			}
		}

	}

}
