package io.github.zklock.engine;

import java.util.Deque;
import java.util.LinkedList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that are given to an executor of the user. A thread of ours calls it, one call at
 * a time, so it may block, fail, or run the task at once: that task gets another thread
 * of ours. So does a task that the executor has not begun for a while. It may be the
 * grant of a lock for which all threads of the executor wait. Each task runs once.
 */
final class GivenTasks {

	private static final Logger logger = LoggerFactory.getLogger(GivenTasks.class);

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long SHORTEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int TASKS_PER_WARNING = 1_000;

	private final Executor executor;

	private final EventLoop loop;

	private final Executor line;

	// Made before there may be no memory for it
	private final Runnable watch = this::watch;

	private final AtomicLong takenBack = new AtomicLong();

	// The thread that calls the executor
	private volatile @Nullable Thread giver;

	// Oldest first, may have begun. Under its monitor, as all that follows. No array: one
	// that cannot grow for lack of memory loses what is in it
	@SuppressWarnings("JdkObsolete")
	private final Deque<Task> tasks = new LinkedList<>();

	private boolean watched;

	private boolean closed;

	/**
	 * Begin without tasks.
	 * @param executor the user's
	 * @param givers the threads that call it
	 */
	GivenTasks(Executor executor, Executor givers, EventLoop loop) {
		this.executor = executor;
		this.loop = loop;
		this.line = new InOrder(givers);
	}

	/**
	 * Take a task, or fail without having taken it. Does not wait.
	 * @param own our threads, which run the task if the executor does not
	 */
	void execute(Runnable action, Executor own) {
		Task task = new Task(action, own);
		synchronized (this.tasks) {
			if (this.closed) {
				task.takeBack();
				return;
			}
			this.tasks.addLast(task);
			boolean taken = false;
			try {
				this.line.execute(task::give);
				taken = true;
			}
			finally {
				if (!taken) {
					this.tasks.removeLast();
				}
			}
			EventLoop.attempt(this.watch);
		}
	}

	/**
	 * Look after the oldest task when its time has come.
	 */
	private void watch() {
		Task oldest = this.tasks.peek();
		if (oldest != null && !this.watched) {
			this.loop.schedule(this::lookAfter, Math.max(oldest.patience(), SHORTEST_WAIT_NANOS));
			this.watched = true;
		}
	}

	private void lookAfter() {
		int late;
		synchronized (this.tasks) {
			this.watched = false;
			try {
				late = takeBack(0);
			}
			finally {
				watch();
			}
		}
		if (late > 0) {
			warn("has not begun tasks within a second", late, null);
		}
	}

	/**
	 * Take back what the executor has not begun.
	 * @param patience for how much longer it would have time to do so
	 * @return how many that were
	 */
	private int takeBack(long patience) {
		int count = 0;
		for (Task task = this.tasks.peek(); task != null; task = this.tasks.peek()) {
			if (!task.hasBegun()) {
				if (task.patience() > patience) {
					break;
				}
				task.takeBack();
				count++;
			}
			this.tasks.remove();
		}
		return count;
	}

	private void warn(String what, int count, @Nullable Throwable failure) {
		long before = this.takenBack.getAndAdd(count);
		if (before == 0 || before / TASKS_PER_WARNING < (before + count) / TASKS_PER_WARNING) {
			logger.warn(
					"Executor {} ('userExecutor') {}: {} were run on threads of the registry so far."
							+ " It must have a free thread whenever a user of a lock is to be called",
					this.executor.getClass().getName(), what, before + count, failure);
		}
	}

	/**
	 * Take back what has not begun, and do not call the executor any more.
	 */
	void close() {
		synchronized (this.tasks) {
			this.closed = true;
			takeBack(PATIENCE_NANOS);
		}
	}

	private final class Task implements Runnable {

		private final AtomicReference<@Nullable Runnable> action;

		private final Executor own;

		private final long since = GivenTasks.this.loop.platform().nanoTime();

		Task(Runnable action, Executor own) {
			this.action = new AtomicReference<>(action);
			this.own = own;
		}

		boolean hasBegun() {
			return this.action.get() == null;
		}

		/**
		 * Return for how many nanoseconds more the executor may take its time.
		 */
		long patience() {
			return PATIENCE_NANOS - (GivenTasks.this.loop.platform().nanoTime() - this.since);
		}

		private void give() {
			if (hasBegun()) {
				return;
			}
			GivenTasks.this.giver = Thread.currentThread();
			try {
				GivenTasks.this.executor.execute(this);
			}
			catch (Throwable ex) {
				takeBack();
				warn("refuses tasks", 1, ex);
			}
			finally {
				GivenTasks.this.giver = null;
			}
		}

		/**
		 * Called by the executor.
		 */
		@Override
		public void run() {
			if (Thread.currentThread() == GivenTasks.this.giver) {
				takeBack();
			}
			else {
				begin();
			}
		}

		/**
		 * Let our own threads run the task, unless the executor comes first.
		 */
		void takeBack() {
			this.own.execute(this::begin);
		}

		private void begin() {
			Runnable present = this.action.getAndSet(null);
			if (present != null) {
				CallbackThreads.run(present);
			}
		}

	}

}
