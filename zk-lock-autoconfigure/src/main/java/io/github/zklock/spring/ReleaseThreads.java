package io.github.zklock.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads on which locks without an owning thread are given back. That waits for
 * ZooKeeper's answer, which is nothing for the thread that happens to complete a stage or
 * to cancel a publisher. As many as are needed, so that no lock can keep another from
 * being given back.
 */
final class ReleaseThreads {

	private static final AtomicInteger count = new AtomicInteger();

	private static final ThreadPoolExecutor pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS,
			new SynchronousQueue<>(), ReleaseThreads::newThread);

	private ReleaseThreads() {
	}

	private static Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, "zk-lock-release-" + count.incrementAndGet(), 0, false);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Run a task.
	 * @return completed when it has ended, with its failure if it has failed
	 */
	static CompletableFuture<Void> run(Runnable task) {
		CompletableFuture<Void> ended = new CompletableFuture<>();
		Runnable ending = () -> {
			try {
				task.run();
				ended.complete(null);
			}
			catch (Throwable ex) {
				ended.completeExceptionally(ex);
			}
		};
		try {
			pool.execute(ending);
		}
		catch (OutOfMemoryError ex) {
			// no thread is to be had, but the lock must not stay
			ending.run();
		}
		return ended;
	}

	/**
	 * Wait for a task. Not by the future itself: a thread of the common pool would run
	 * other tasks while it waits, and these would enter the locks that the thread holds.
	 */
	static void await(CompletableFuture<Void> ended) {
		CountDownLatch complete = new CountDownLatch(1);
		ended.whenComplete((value, problem) -> complete.countDown());
		boolean interrupted = false;
		while (complete.getCount() > 0) {
			try {
				complete.await();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		ended.getNow(null);
	}

}
