package io.github.zklock.engine;

/**
 * The thread of an event loop, with its timers. Thread-safe.
 */
public interface LoopThread {

	/**
	 * Have the thread before anything depends on it: there may be none to be had. Has no
	 * effect if it is there.
	 */
	void start();

	/**
	 * Call {@link Loop#drain()} on the thread, soon.
	 */
	void wake();

	/**
	 * Hand a task to {@link Loop#due(Runnable)} later, on the thread.
	 * @param task the task
	 * @param nanos how much later
	 * @return cancels it
	 */
	Timer schedule(Runnable task, long nanos);

	/**
	 * Set whether the thread ends when it has been idle for a while. It is started again
	 * when it is needed.
	 * @param mayRetire whether it may end
	 */
	void mayRetire(boolean mayRetire);

	/**
	 * End the thread. Timers that are left are dropped.
	 */
	void close();

	/**
	 * Something that is to be done later.
	 */
	interface Timer {

		/**
		 * Do nothing, unless it has begun.
		 */
		void cancel();

	}

	/**
	 * What a thread works for. Called by that thread.
	 */
	interface Loop {

		/**
		 * Do what there is to do.
		 */
		void drain();

		/**
		 * The time of a task has come. If this fails, it is called again.
		 * @param task the task
		 */
		void due(Runnable task);

		/**
		 * Do what has become due, unless another thread is at work.
		 */
		void workIfIdle();

		/**
		 * See whether something was left undone. Called once a second.
		 */
		void look();

		/**
		 * Return whether there is nothing to do.
		 * @return whether the thread may retire
		 */
		boolean isIdle();

	}

}
