package io.github.zklock.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.zklock.engine.LoopThread.Timer;
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
 * after a task that has failed, and within about a second after another thread has set
 * {@link #troubled}.
 *
 * <p>
 * It is long because there are three sorts of threads that may work on the tasks, and
 * none of them may lose one, whatever is thrown.
 */
final class EventLoop implements LoopThread.Loop {

	private static final Logger logger = LoggerFactory.getLogger(EventLoop.class);

	private static final long SHORTEST_BACK_OFF_MILLIS = 100;

	private static final long LONGEST_BACK_OFF_MILLIS = 1_000;

	private static final int MOST_TASKS_OF_A_VISITOR = 100;

	private static final int MOST_ROUNDS = 10_000;

	private static final long ROUND_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	private static final String PROTOCOL = "in the lock protocol";

	private final Platform platform;

	private final LoopThread thread;

	private final Faults faults;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	// Whoever makes it true works until there is nothing to do
	private final AtomicBoolean pending = new AtomicBoolean();

	// The own thread is the one that works
	private volatile boolean called;

	private volatile boolean closed;

	// Threads that will work before they go on, so that nobody has to be woken
	private final AtomicInteger visitors = new AtomicInteger();

	private final boolean visited;

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

	/**
	 * Create a loop that has no thread before it is needed.
	 * @param name the name of the thread
	 * @param platform gives the thread and the time
	 * @param faults lets errors happen, in tests
	 * @param visited whether callers work on what follows from their requests, since the
	 * store answers at once; then {@link #mayRetire(boolean) the thread may retire}
	 */
	EventLoop(String name, Platform platform, Faults faults, boolean visited) {
		this.platform = platform;
		this.faults = faults;
		this.visited = visited;
		this.thread = platform.newLoopThread(name, this);
		this.thread.mayRetire(visited);
	}

	Platform platform() {
		return this.platform;
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
		this.thread.start();
		this.tasks.add(task);
		if (this.visitors.get() <= 0) {
			call();
		}
	}

	/**
	 * Set whether the thread ends when it has been idle for a while.
	 */
	void mayRetire(boolean mayRetire) {
		this.thread.mayRetire(mayRetire || this.visited);
	}

	/**
	 * Have the own thread work, unless another one does.
	 */
	private void call() {
		if (this.pending.compareAndSet(false, true)) {
			// A field, since the stack may have no room for one more call
			this.called = true;
			this.thread.wake();
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
			pass("visited");
			// An error may have set it back
			if (this.visitors.get() > 0) {
				this.visitors.decrementAndGet();
			}
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
			this.platform.park(this, ROUND_NANOS);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	// By the own thread

	@Override
	public void due(Runnable task) {
		pass("timer");
		this.tasks.add(task);
	}

	@Override
	public boolean isIdle() {
		return !this.failed && !this.troubled && !this.called && this.tasks.isEmpty();
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
		workIfIdle();
	}

	@Override
	public void workIfIdle() {
		if (this.pending.compareAndSet(false, true)) {
			workUntilIdle();
		}
	}

	@Override
	public void drain() {
		if (this.called) {
			this.called = false;
			workUntilIdle();
		}
	}

	private void workUntilIdle() {
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

	@Override
	public void look() {
		// An error may have kept the thread from being woken
		drain();
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
		// Who was thrown out of a visit may not have been counted. A number that is too
		// small only costs that the thread is woken
		this.visitors.set(0);
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
		return this.thread.schedule(task, nanos);
	}

	/**
	 * Run a task after a random pause between a tenth of a second and a second.
	 */
	void backOff(Runnable task) {
		double longer = (LONGEST_BACK_OFF_MILLIS - SHORTEST_BACK_OFF_MILLIS) * this.platform.nextDouble();
		schedule(task, TimeUnit.MILLISECONDS.toNanos(SHORTEST_BACK_OFF_MILLIS + (long) longer));
	}

	void close() {
		this.closed = true;
		this.thread.close();
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
