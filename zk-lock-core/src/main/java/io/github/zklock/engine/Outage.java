package io.github.zklock.engine;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * For how long a registry has been without ZooKeeper. The clock starts when a connection
 * is needed and not there, goes on from handle to handle, and stops when a heartbeat has
 * been answered: a server that accepts connections and closes them is not there.
 * Thread-safe.
 */
final class Outage {

	private static final long REMINDER = TimeUnit.MINUTES.toNanos(1);

	private final EventLoop loop;

	private final long limit;

	private final long reminder;

	private final Observer observer;

	private LoopThread.@Nullable Timer timer;

	// Whether the observer knows
	private boolean told;

	// Written before the flag
	private volatile long since;

	private volatile boolean running;

	/**
	 * Create a clock that stands still.
	 * @param loop where to be told
	 * @param limit how many nanoseconds are too long
	 * @param observer told of an outage that lasts longer
	 */
	Outage(EventLoop loop, long limit, Observer observer) {
		this(loop, limit, REMINDER, observer);
	}

	Outage(EventLoop loop, long limit, long reminder, Observer observer) {
		this.loop = loop;
		this.limit = limit;
		this.reminder = reminder;
		this.observer = observer;
	}

	/**
	 * There is no connection. Has no effect if that has been said before.
	 */
	synchronized void begin() {
		if (!this.running) {
			this.since = this.loop.platform().nanoTime();
			this.timer = this.loop.schedule(this::limitReached, this.limit);
			this.told = false;
			this.running = true;
		}
	}

	private void limitReached() {
		boolean first;
		synchronized (this) {
			if (!isTooLong()) {
				return;
			}
			this.timer = this.loop.schedule(this::limitReached, this.reminder);
			first = !this.told;
			this.told = true;
		}
		this.observer.tooLong(first);
	}

	/**
	 * ZooKeeper has answered.
	 */
	void end() {
		if (!this.running) {
			return;
		}
		long age;
		boolean wasTold;
		synchronized (this) {
			age = age();
			wasTold = this.told;
			stop();
		}
		this.observer.over(age, wasTold);
	}

	/**
	 * Nobody tries to reach ZooKeeper any more.
	 */
	synchronized void stop() {
		this.running = false;
		if (this.timer != null) {
			this.timer.cancel();
			this.timer = null;
		}
	}

	boolean isRunning() {
		return this.running;
	}

	/**
	 * Return whether it has lasted longer than anybody who does not wait for ever should
	 * wait for its end.
	 */
	boolean isTooLong() {
		return this.running && age() >= this.limit;
	}

	/**
	 * Return for how many nanoseconds it has lasted; 0 if there is none.
	 */
	long age() {
		return this.running ? this.loop.platform().nanoTime() - this.since : 0;
	}

	/**
	 * Hears of outages, on the event loop.
	 */
	interface Observer {

		/**
		 * An outage lasts too long.
		 * @param first whether this is the first word of it; otherwise it still goes on
		 */
		void tooLong(boolean first);

		/**
		 * An outage is over.
		 * @param nanos how long it has lasted
		 * @param told whether it was too long
		 */
		void over(long nanos, boolean told);

	}

}
