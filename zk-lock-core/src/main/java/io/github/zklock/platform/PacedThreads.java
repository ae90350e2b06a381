package io.github.zklock.platform;

import java.util.LinkedList;
import java.util.Queue;
import java.util.function.Consumer;

import io.github.zklock.engine.TaskThreads;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for tasks that may take long, or wait for each other. As many as are needed, so
 * that no task can hold up another for good: one more when a task has waited for a
 * moment. But not all at once: a storm of tasks would leave no threads for anybody, and
 * its end would come no sooner.
 *
 * <p>
 * It is long because threads end when they are idle, may not be had at all, and must not
 * lose a task in between.
 */
final class PacedThreads implements TaskThreads {

	private static final Logger logger = LoggerFactory.getLogger(PacedThreads.class);

	private static final int AT_ONCE = 8;

	private static final long PATIENCE_MILLIS = 10;

	private static final long IDLE_MILLIS = 10_000;

	private static final int QUIET_ROUNDS = 100;

	private static final long RETRY_MILLIS = 100;

	private record Task(Runnable action, long since) {

	}

	private final String name;

	private final Consumer<Runnable> later;

	// All that follows under its monitor. No array: one that cannot grow for lack of
	// memory loses what is in it
	@SuppressWarnings("JdkObsolete")
	private final Queue<Task> tasks = new LinkedList<>();

	// Run before the others
	@SuppressWarnings("JdkObsolete")
	private final Queue<Task> urgent = new LinkedList<>();

	// Made before there may be no memory for it
	private final Runnable attendLater = this::attendLater;

	private int threads;

	private int idle;

	private int count;

	private boolean starterRuns;

	private boolean closed;

	PacedThreads(String name, Consumer<Runnable> later) {
		this.name = name;
		this.later = later;
	}

	@Override
	public void execute(Runnable task) {
		add(task, this.tasks);
	}

	@Override
	public void executeSoon(Runnable task) {
		add(task, this.urgent);
	}

	/**
	 * Take a task, or fail without having taken it.
	 */
	private void add(Runnable task, Queue<Task> queue) {
		synchronized (this.tasks) {
			queue.add(new Task(task, System.nanoTime()));
			if (this.idle > 0) {
				this.tasks.notify();
			}
			if (waiting() <= this.idle || (this.threads >= AT_ONCE && this.starterRuns)) {
				return;
			}
		}
		attend();
	}

	private int waiting() {
		return this.tasks.size() + this.urgent.size();
	}

	/**
	 * See to it that what waits is run. The calling thread starts a thread only if there
	 * are few. Never fails.
	 */
	@Override
	public void attend() {
		try {
			if (takeUpThread()) {
				startThread();
			}
			else if (takeUpStarter()) {
				startStarter();
			}
		}
		catch (Throwable ex) {
			// no thread is to be had now, but nobody may wait for ever
			tryAgain(ex);
		}
	}

	private void tryAgain(Throwable failure) {
		try {
			this.attendLater.run();
		}
		catch (Throwable ex) {
			warn("Starting a thread for listeners and callbacks cannot be tried again", ex);
		}
		warn("Cannot start a thread for listeners and callbacks, retrying", failure);
	}

	private void attendLater() {
		this.later.accept(this::attend);
	}

	private boolean takeUpThread() {
		synchronized (this.tasks) {
			boolean needed = waiting() > this.idle && this.threads < AT_ONCE;
			this.threads += needed ? 1 : 0;
			return needed;
		}
	}

	private void startThread() {
		boolean started = false;
		try {
			newThread(this::work, "-user-" + number()).start();
			started = true;
		}
		finally {
			if (!started) {
				synchronized (this.tasks) {
					this.threads--;
				}
			}
		}
	}

	private int number() {
		synchronized (this.tasks) {
			return ++this.count;
		}
	}

	private Thread newThread(Runnable task, String suffix) {
		Thread thread = new Thread(task, this.name + suffix);
		thread.setDaemon(true);
		return thread;
	}

	// The threads

	private void work() {
		for (Runnable task = next(); task != null; task = next()) {
			run(task);
			// an interrupt is meant for the one who caused it
			Thread.interrupted();
		}
	}

	/**
	 * Return what to do next, null to end the thread.
	 */
	private @Nullable Runnable next() {
		synchronized (this.tasks) {
			long deadline = System.nanoTime() + IDLE_MILLIS * 1_000_000;
			this.idle++;
			try {
				long remaining = IDLE_MILLIS;
				while (waiting() == 0 && remaining > 0 && !this.closed) {
					await(remaining);
					remaining = (deadline - System.nanoTime()) / 1_000_000;
				}
			}
			finally {
				this.idle--;
			}
			Task task = (this.urgent.isEmpty() ? this.tasks : this.urgent).poll();
			if (task == null) {
				this.threads--;
				return null;
			}
			return task.action();
		}
	}

	private void await(long millis) {
		try {
			this.tasks.wait(millis);
		}
		catch (InterruptedException ex) {
			// by a user's code, who cannot mean this thread
		}
	}

	/**
	 * Run a task. Never fails.
	 */
	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			warn("A listener, a loss action or what depends on a future of a lock has failed", ex);
		}
	}

	private static void warn(String message, Throwable failure) {
		try {
			logger.warn(message, failure);
		}
		catch (Throwable ex) {
			// There may be no memory even for that
		}
	}

	// The thread that starts threads

	private boolean takeUpStarter() {
		synchronized (this.tasks) {
			boolean needed = waiting() > this.idle && !this.starterRuns;
			this.starterRuns |= needed;
			return needed;
		}
	}

	private void startStarter() {
		boolean started = false;
		try {
			newThread(this::startThreads, "-user-starter").start();
			started = true;
		}
		finally {
			if (!started) {
				synchronized (this.tasks) {
					this.starterRuns = false;
				}
			}
		}
	}

	/**
	 * Start threads one by one as long as tasks have to wait, the slower the more there
	 * are.
	 */
	private void startThreads() {
		for (int quiet = 0; goesOn(quiet); quiet++) {
			long pause = pause();
			if (pause <= PATIENCE_MILLIS) {
				quiet = 0;
			}
			sleep((pause > 0) ? Math.min(pause, PATIENCE_MILLIS) : startOne());
		}
	}

	private boolean goesOn(int quiet) {
		synchronized (this.tasks) {
			this.starterRuns = waiting() > 0 || (quiet < QUIET_ROUNDS && !this.closed);
			return this.starterRuns;
		}
	}

	/**
	 * Return for how many milliseconds no thread is to be started.
	 */
	private long pause() {
		synchronized (this.tasks) {
			if (waiting() == 0) {
				return Long.MAX_VALUE;
			}
			long waited = Math.max(waited(this.tasks), waited(this.urgent));
			return Math.max((waiting() > this.idle) ? 0 : 1, PATIENCE_MILLIS - waited);
		}
	}

	private static long waited(Queue<Task> queue) {
		Task oldest = queue.peek();
		return (oldest != null) ? (System.nanoTime() - oldest.since()) / 1_000_000 : 0;
	}

	/**
	 * Start a thread.
	 * @return how many milliseconds to wait before the next one
	 */
	private long startOne() {
		try {
			synchronized (this.tasks) {
				this.threads++;
			}
			startThread();
			synchronized (this.tasks) {
				return Math.max(1, this.threads / 4);
			}
		}
		catch (Throwable ex) {
			warn("Cannot start a thread for listeners and callbacks, retrying", ex);
			return RETRY_MILLIS;
		}
	}

	private static void sleep(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			// nobody means this thread
		}
	}

	@Override
	public void close() {
		synchronized (this.tasks) {
			this.closed = true;
			this.tasks.notifyAll();
		}
	}

}
