package io.github.zklock.zookeeper;

import org.jspecify.annotations.Nullable;

/**
 * For how long a registry has been without ZooKeeper. The clock starts when a connection
 * is needed and not there, goes on from handle to handle, and stops when a heartbeat has
 * been answered: a server that accepts connections and closes them is not there.
 * Thread-safe.
 */
final class Outage {

	private final EventLoop loop;

	private final long limit;

	private final Runnable whenTooLong;

	private EventLoop.@Nullable Timer timer;

	// Written before the flag
	private volatile long since;

	private volatile boolean running;

	/**
	 * Create a clock that stands still.
	 * @param loop where to be told
	 * @param limit how many nanoseconds are too long
	 * @param whenTooLong told once per outage that lasts longer
	 */
	Outage(EventLoop loop, long limit, Runnable whenTooLong) {
		this.loop = loop;
		this.limit = limit;
		this.whenTooLong = whenTooLong;
	}

	/**
	 * There is no connection. Has no effect if that has been said before.
	 */
	synchronized void begin() {
		if (!this.running) {
			this.since = System.nanoTime();
			this.timer = this.loop.schedule(this::limitReached, this.limit);
			this.running = true;
		}
	}

	private void limitReached() {
		if (isTooLong()) {
			this.whenTooLong.run();
		}
	}

	/**
	 * ZooKeeper has answered, or nobody tries to reach it.
	 */
	synchronized void end() {
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
		return this.running ? System.nanoTime() - this.since : 0;
	}

}
