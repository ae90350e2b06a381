package io.github.zklock.engine;

import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on ZooKeeper's answers and on timers, one after the other, in order. It has a
 * thread of its own; ZooKeeper's event thread may lend its own instead, which saves the
 * change of threads on the way from an answer to the caller who waits for it, and so may
 * a caller whose store {@link #visit answers at once}. User code never runs here. After
 * the end, tasks are dropped.
 *
 * <p>
 * It survives whatever is thrown. What {@link #recoverBy recovers} from it is run at once
 * after a task that has failed, and within about a second after somebody else has said
 * that he is {@link #troubled}.
 */
final class EventLoop {

	private static final Logger logger = LoggerFactory.getLogger(EventLoop.class);

	private static final long SHORTEST_BACK_OFF_MILLIS = 100;

	private static final long LONGEST_BACK_OFF_MILLIS = 1_000;

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int MOST_TASKS_OF_A_VISITOR = 100;

	private static final int MOST_ROUNDS = 10_000;

	private static final long ROUND_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	private static final int IDLE_LOOKS = 3;

	private static final String PROTOCOL = "in the lock protocol";

	private final String name;

	private final Faults faults;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	// Whoever makes it true works until there is nothing to do
	private final AtomicBoolean pending = new AtomicBoolean();

	// The next one first. By the own thread only
	private final SortedSet<Timer> timers = new TreeSet<>();

	// What is to be added to them, or removed
	private final Queue<Timer> changedTimers = new ConcurrentLinkedQueue<>();

	private final AtomicLong timerCount = new AtomicLong();

	private volatile long parkedUntil = System.nanoTime();

	private volatile @Nullable Thread thread;

	// The own thread is to work
	private volatile boolean called;

	private volatile boolean closed;

	// Threads that will work before they go on, so that nobody has to be woken
	private final AtomicInteger visitors = new AtomicInteger();

	private final boolean visited;

	private volatile boolean mayRetire;

	/**
	 * An error has thrown a caller out of something that may be half done. A field, since
	 * a stack that has come to its end has no room for a call.
	 */
	volatile boolean troubled;

	/**
	 * A task has failed, or has got lost.
	 */
	volatile boolean failed;

	private volatile Recovery recovery = (taskFailed) -> {
	};

	EventLoop(String name) {
		this(name, Faults.NONE, false);
	}

	/**
	 * Create a loop that has no thread before it is needed.
	 * @param name the name of the thread
	 * @param faults lets errors happen, in tests
	 * @param visited whether callers work on what follows from their requests, since the
	 * store answers at once; then {@link #mayRetire(boolean) the thread may retire}
	 */
	EventLoop(String name, Faults faults, boolean visited) {
		this.name = name;
		this.faults = faults;
		this.visited = visited;
		this.mayRetire = visited;
	}

	/**
	 * Set what is done after an error. If that fails, it is done again.
	 */
	void recoverBy(Recovery recovery) {
		this.recovery = recovery;
	}

	/**
	 * Pass a place at which tests let errors happen.
	 */
	void pass(String place) {
		this.faults.pass(place);
	}

	/**
	 * Run a task on the own thread.
	 */
	void execute(Runnable task) {
		if (this.closed) {
			return;
		}
		pass("execute");
		start();
		this.tasks.add(task);
		if (this.visitors.get() == 0) {
			call();
		}
	}

	/**
	 * Set whether the thread ends when it has been idle for a while.
	 */
	void mayRetire(boolean mayRetire) {
		this.mayRetire = mayRetire || this.visited;
	}

	/**
	 * Have the own thread work, unless another one does.
	 */
	private void call() {
		if (this.pending.compareAndSet(false, true)) {
			this.called = true;
			LockSupport.unpark(start());
		}
	}

	/**
	 * Run something that sends requests, on a thread that holds no monitor, and work on
	 * what follows from it, if the store answers at once: a few tasks, so that no caller
	 * works for all others.
	 */
	void visit(Runnable visit) {
		visitFor(() -> {
			visit.run();
			return null;
		});
	}

	/**
	 * {@link #visit(Runnable) Visit} for a result.
	 */
	<T> @Nullable T visitFor(Supplier<@Nullable T> visit) {
		if (!this.visited) {
			return visit.get();
		}
		this.visitors.incrementAndGet();
		boolean done = false;
		try {
			T result = visit.get();
			done = true;
			return result;
		}
		finally {
			this.visitors.decrementAndGet();
			// Who was thrown out by an error may have no stack for it
			leave(done ? MOST_TASKS_OF_A_VISITOR : 0);
		}
	}

	private void leave(int most) {
		if (most > 0 && !this.tasks.isEmpty() && this.pending.compareAndSet(false, true)) {
			work(most);
		}
		if (!this.tasks.isEmpty()) {
			call();
		}
	}

	/**
	 * Wait for what follows from a visit, if another thread works on it just now.
	 */
	void settle(BooleanSupplier settled) {
		boolean interrupted = false;
		for (int round = 0; this.visited && !this.closed && round < MOST_ROUNDS && !settled.getAsBoolean(); round++) {
			interrupted |= Thread.interrupted();
			LockSupport.parkNanos(this, ROUND_NANOS);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Have the thread before anything depends on it: there may be none to be had.
	 */
	private Thread start() {
		Thread present = this.thread;
		if (present == null) {
			synchronized (this.tasks) {
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

	/**
	 * What the own thread does. Nothing ends it but the end of the loop, or idleness if
	 * it {@link #mayRetire may retire}: a pool would lose its thread to an error, and not
	 * always get another.
	 */
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
					look();
				}
				if (this.called) {
					this.called = false;
					drain();
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
		return !this.called && !this.failed && !this.troubled && this.tasks.isEmpty() && this.timers.isEmpty()
				&& this.changedTimers.isEmpty();
	}

	/**
	 * Be nobody's thread, unless there is something to do: whoever adds something looks
	 * for the thread afterwards.
	 */
	private boolean retire() {
		synchronized (this.tasks) {
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
			Timer due = this.timers.first();
			pass("timer");
			this.tasks.add(due.task);
			this.timers.remove(due);
			drainIfIdle();
			changeTimers();
		}
	}

	private void changeTimers() {
		for (Timer timer = this.changedTimers.peek(); timer != null; timer = this.changedTimers.peek()) {
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
		Timer next = this.timers.isEmpty() ? null : this.timers.first();
		this.parkedUntil = (next != null && next.at - latest < 0) ? next.at : latest;
		// An interrupt cannot be meant for this thread, and would let it never wait again
		Thread.interrupted();
		if (!this.called && this.changedTimers.isEmpty()) {
			LockSupport.parkNanos(this, this.parkedUntil - System.nanoTime());
		}
	}

	/**
	 * Run a task on the current thread, which must hold no monitor, unless another one is
	 * at work. If that fails, the task is lost.
	 */
	void executeHere(Runnable task) {
		boolean taken = false;
		try {
			pass("execute here");
			this.tasks.add(task);
			taken = true;
		}
		finally {
			if (!taken) {
				this.failed = true;
			}
		}
		drainIfIdle();
	}

	private void drainIfIdle() {
		if (this.pending.compareAndSet(false, true)) {
			drain();
		}
	}

	private void drain() {
		do {
			work(Integer.MAX_VALUE);
		}
		while (!this.tasks.isEmpty() && this.pending.compareAndSet(false, true));
	}

	private void work(int most) {
		try {
			for (int count = 0; count < most; count++) {
				Runnable task = this.tasks.poll();
				if (task == null) {
					return;
				}
				if (!this.closed) {
					work(task);
				}
			}
		}
		finally {
			// whatever comes, or nobody works any more
			this.pending.set(false);
		}
	}

	private void work(Runnable task) {
		try {
			pass("task");
			task.run();
			pass("task done");
		}
		catch (Throwable ex) {
			this.failed = true;
			logFailure(PROTOCOL, ex);
		}
		if (this.failed) {
			recover();
		}
	}

	/**
	 * Run a part of a task whose failure must not keep the other parts from being run. To
	 * be called on the loop.
	 */
	void run(Runnable part) {
		try {
			part.run();
		}
		catch (Throwable ex) {
			this.failed = true;
			logFailure(PROTOCOL, ex);
		}
	}

	// After an error

	/**
	 * See whether something was left undone.
	 */
	private void look() {
		if (this.troubled || this.failed || !this.tasks.isEmpty()) {
			executeHere(this::recover);
		}
	}

	private void recover() {
		boolean taskFailed = this.failed;
		if (!taskFailed && !this.troubled) {
			return;
		}
		this.failed = false;
		this.troubled = false;
		try {
			this.recovery.recover(taskFailed);
		}
		catch (Throwable ex) {
			if (taskFailed) {
				this.failed = true;
			}
			this.troubled = true;
			logFailure(PROTOCOL, ex);
		}
	}

	/**
	 * Say that something has failed that should not. Never fails itself.
	 * @param what what has failed
	 */
	static void logFailure(String what, Throwable failure) {
		try {
			logger.error("Unexpected failure {}", what, failure);
		}
		catch (Throwable ex) {
			// There may be no memory even for that
		}
	}

	/**
	 * Do something whose failure changes nothing for anybody but whom it is done for.
	 */
	static void attempt(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			logFailure(PROTOCOL, ex);
		}
	}

	/**
	 * Do something whose failure is repaired soon. By any thread.
	 */
	void endure(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			this.troubled = true;
			logFailure(PROTOCOL, ex);
		}
	}

	// Timers

	/**
	 * Run a task later.
	 * @return cancels the task
	 */
	Timer schedule(Runnable task, long nanos) {
		pass("schedule");
		start();
		Timer timer = new Timer(this, task, System.nanoTime() + nanos, this.timerCount.incrementAndGet());
		if (!this.closed) {
			this.changedTimers.add(timer);
		}
		Thread own = start();
		if (timer.at - this.parkedUntil < 0) {
			LockSupport.unpark(own);
		}
		return timer;
	}

	/**
	 * Run a task after a random pause between a tenth of a second and a second.
	 */
	void backOff(Runnable task) {
		long millis = ThreadLocalRandom.current().nextLong(SHORTEST_BACK_OFF_MILLIS, LONGEST_BACK_OFF_MILLIS);
		schedule(task, TimeUnit.MILLISECONDS.toNanos(millis));
	}

	void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

	/**
	 * Something that is to be done later.
	 */
	static final class Timer implements Comparable<Timer> {

		private final EventLoop loop;

		private final Runnable task;

		private final long at;

		private final long number;

		private volatile boolean cancelled;

		private Timer(EventLoop loop, Runnable task, long at, long number) {
			this.loop = loop;
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

		/**
		 * Do nothing, unless it has begun.
		 */
		void cancel() {
			this.cancelled = true;
			if (!this.loop.closed) {
				this.loop.changedTimers.add(this);
			}
		}

		@Override
		public int compareTo(Timer other) {
			int byTime = Long.signum(this.at - other.at);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

	}

	/**
	 * Does what is to be done after an error.
	 */
	@FunctionalInterface
	interface Recovery {

		/**
		 * Bring everything into order that may be half done. On the loop.
		 * @param taskFailed whether a task of the loop was not done, or not to its end;
		 * otherwise a caller was thrown out of something
		 */
		void recover(boolean taskFailed);

	}

}
