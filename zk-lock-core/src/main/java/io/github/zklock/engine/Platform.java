package io.github.zklock.engine;

import java.util.UUID;
import java.util.function.Consumer;

/**
 * What the protocol needs of the machine on which it runs: time, chance, threads, and a
 * way to wait. The protocol takes all of them from here, so that whoever makes the
 * platform decides what happens when: a test can have every schedule again by its seed.
 * Thread-safe.
 */
public interface Platform {

	/**
	 * Return the time by a clock that nobody sets.
	 * @return nanoseconds, as {@link System#nanoTime()}
	 */
	long nanoTime();

	/**
	 * Return the time by the wall clock.
	 * @return milliseconds, as {@link System#currentTimeMillis()}
	 */
	long currentTimeMillis();

	/**
	 * Return a random number.
	 * @return a number from 0 inclusive to 1 exclusive
	 */
	double nextDouble();

	/**
	 * Return an id that nobody else has.
	 * @return a random id
	 */
	UUID newUuid();

	/**
	 * Let the current thread wait until it is {@link #unpark(Thread) unparked} or
	 * interrupted, or the time is over. May return for no reason.
	 * @param blocker what it waits for, for people
	 * @param nanos the longest wait, {@link Long#MAX_VALUE} for one without end
	 * @see java.util.concurrent.locks.LockSupport#parkNanos(Object, long)
	 */
	void park(Object blocker, long nanos);

	/**
	 * End the wait of a thread, or its next one if it does not wait.
	 * @param thread the thread
	 * @see java.util.concurrent.locks.LockSupport#unpark(Thread)
	 */
	void unpark(Thread thread);

	/**
	 * Make the thread of an event loop.
	 * @param name the name of the thread
	 * @param loop what it works for
	 * @return a thread that is not started yet
	 */
	LoopThread newLoopThread(String name, LoopThread.Loop loop);

	/**
	 * Make threads for tasks that may take long, or wait for each other.
	 * @param name the beginning of their names
	 * @param later runs a task after a pause, on another thread
	 * @return a pool without threads
	 */
	TaskThreads newTaskThreads(String name, Consumer<Runnable> later);

}
