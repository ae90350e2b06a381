package io.github.zklock.platform;

import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.zklock.engine.LoopThread;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that nothing ends but {@link #close()}, or idleness if it may retire: a
 * pool would lose its thread to an error, and not always get another.
 */
final class SystemLoopThread implements LoopThread {

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int IDLE_LOOKS = 3;

	private final String name;

	private final Loop loop;

	// The next one first. By the own thread only
	private final SortedSet<Scheduled> timers = new TreeSet<>();

	// What is to be added to them, or removed
	private final Queue<Scheduled> changedTimers = new ConcurrentLinkedQueue<>();

	private final AtomicLong timerCount = new AtomicLong();

	private volatile long parkedUntil = System.nanoTime();

	private volatile @Nullable Thread thread;

	private volatile boolean called;

	private volatile boolean mayRetire;

	private volatile boolean closed;

	SystemLoopThread(String name, Loop loop) {
		this.name = name;
		this.loop = loop;
	}

	@Override
	public void start() {
		running();
	}

	private Thread running() {
		Thread present = this.thread;
		if (present == null) {
			synchronized (this.changedTimers) {
				present = this.thread;
				if (present == null) {
					present = new Thread(this::live, this.name);
					present.setDaemon(true);
					present.start();
					this.thread = present;
				}
			}
		}
		return present;
	}

	@Override
	public void wake() {
		this.called = true;
		LockSupport.unpark(running());
	}

	@Override
	public void mayRetire(boolean mayRetire) {
		this.mayRetire = mayRetire;
	}

	@Override
	public Timer schedule(Runnable task, long nanos) {
		start();
		Scheduled timer = new Scheduled(task, System.nanoTime() + nanos, this.timerCount.incrementAndGet());
		if (!this.closed) {
			this.changedTimers.add(timer);
		}
		Thread own = running();
		if (timer.at - this.parkedUntil < 0) {
			LockSupport.unpark(own);
		}
		return timer;
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

	// By the own thread

	private void live() {
		long nextLook = System.nanoTime() + LOOK_NANOS;
		int idleLooks = 0;
		while (!this.closed) {
			try {
				if (System.nanoTime() - nextLook >= 0) {
					nextLook = System.nanoTime() + LOOK_NANOS;
					idleLooks = (this.mayRetire && isIdle()) ? idleLooks + 1 : 0;
					if (idleLooks >= IDLE_LOOKS && retire()) {
						return;
					}
					this.loop.look();
				}
				if (this.called) {
					this.called = false;
					this.loop.drain();
				}
				workOnTimers();
				park(nextLook);
			}
			catch (Throwable ex) {
				// No memory: nothing is lost, and it is tried again
				LockSupport.parkNanos(this, RETRY_NANOS);
			}
		}
	}

	private boolean isIdle() {
		return !this.called && this.loop.isIdle() && this.timers.isEmpty() && this.changedTimers.isEmpty();
	}

	/**
	 * Be nobody's thread, unless there is something to do: whoever adds something looks
	 * for the thread afterwards.
	 */
	private boolean retire() {
		synchronized (this.changedTimers) {
			this.thread = null;
			if (isIdle()) {
				return true;
			}
			this.thread = Thread.currentThread();
			return false;
		}
	}

	private void workOnTimers() {
		changeTimers();
		while (!this.timers.isEmpty() && this.timers.first().nanos() <= 0) {
			Scheduled due = this.timers.first();
			this.loop.due(due.task);
			this.timers.remove(due);
			this.loop.workIfIdle();
			changeTimers();
		}
	}

	private void changeTimers() {
		for (Scheduled timer = this.changedTimers.peek(); timer != null; timer = this.changedTimers.peek()) {
			if (timer.cancelled) {
				this.timers.remove(timer);
			}
			else {
				this.timers.add(timer);
			}
			this.changedTimers.remove();
		}
	}

	/**
	 * Wait until there is something to do.
	 */
	private void park(long latest) {
		Scheduled next = this.timers.isEmpty() ? null : this.timers.first();
		this.parkedUntil = (next != null && next.at - latest < 0) ? next.at : latest;
		// An interrupt cannot be meant for this thread, and would let it never wait again
		Thread.interrupted();
		if (!this.called && this.changedTimers.isEmpty()) {
			LockSupport.parkNanos(this, this.parkedUntil - System.nanoTime());
		}
	}

	private final class Scheduled implements Timer, Comparable<Scheduled> {

		private final Runnable task;

		private final long at;

		private final long number;

		private volatile boolean cancelled;

		private Scheduled(Runnable task, long at, long number) {
			this.task = task;
			this.at = at;
			this.number = number;
		}

		/**
		 * Return how many nanoseconds are left.
		 */
		private long nanos() {
			return this.at - System.nanoTime();
		}

		@Override
		public void cancel() {
			this.cancelled = true;
			if (!SystemLoopThread.this.closed) {
				SystemLoopThread.this.changedTimers.add(this);
			}
		}

		@Override
		public int compareTo(Scheduled other) {
			int byTime = Long.signum(this.at - other.at);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

	}

}
