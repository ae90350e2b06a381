package io.github.zklock.engine;

import java.util.Deque;
import java.util.LinkedList;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * Runs its tasks one after the other, on the threads of another executor.
 */
final class InOrder implements Executor {

	private final Executor executor;

	// No array: one that cannot grow for lack of memory loses what is in it
	@SuppressWarnings("JdkObsolete")
	private final Deque<Runnable> tasks = new LinkedList<>();

	private boolean running;

	/**
	 * Begin without tasks.
	 * @param executor runs a task on another thread, and is called under a monitor
	 */
	InOrder(Executor executor) {
		this.executor = executor;
	}

	/**
	 * Take a task, or fail without having taken it.
	 */
	@Override
	public void execute(Runnable task) {
		synchronized (this.tasks) {
			this.tasks.addLast(task);
			if (this.running) {
				return;
			}
			boolean taken = false;
			try {
				this.executor.execute(this::drain);
				taken = true;
			}
			finally {
				this.running = taken;
				if (!taken) {
					this.tasks.removeLast();
				}
			}
		}
	}

	private void drain() {
		for (Runnable task = next(); task != null; task = next()) {
			CallbackThreads.run(task);
			// an interrupt is meant for the one who caused it
			Thread.interrupted();
		}
	}

	private @Nullable Runnable next() {
		synchronized (this.tasks) {
			Runnable task = this.tasks.poll();
			this.running = task != null;
			return task;
		}
	}

}
