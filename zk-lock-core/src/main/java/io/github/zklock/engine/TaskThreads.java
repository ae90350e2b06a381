package io.github.zklock.engine;

import java.util.concurrent.Executor;

/**
 * Threads for tasks that may take long, or wait for each other, so that there must be as
 * many as are needed. A task is taken or refused by an exception, and what it throws is
 * logged. Thread-safe.
 */
public interface TaskThreads extends Executor {

	/**
	 * Run a task before all others that wait: somebody waits for it.
	 * @param task the task
	 */
	void executeSoon(Runnable task);

	/**
	 * See to it that what waits is run: a thread may have been missing. Never fails.
	 */
	void attend();

	/**
	 * End the threads when they have done what they have to do. Does not wait. What comes
	 * later is run all the same.
	 */
	void close();

}
