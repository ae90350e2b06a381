package io.github.zklock.platform;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.github.zklock.engine.LoopThread;
import io.github.zklock.engine.Platform;
import io.github.zklock.engine.TaskThreads;

/**
 * The clocks and threads of this Java virtual machine.
 */
public class SystemPlatform implements Platform {

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public long currentTimeMillis() {
		return System.currentTimeMillis();
	}

	@Override
	public double nextDouble() {
		return ThreadLocalRandom.current().nextDouble();
	}

	@Override
	public UUID newUuid() {
		return UUID.randomUUID();
	}

	@Override
	public void park(Object blocker, long nanos) {
		if (nanos == Long.MAX_VALUE) {
			LockSupport.park(blocker);
		}
		else {
			LockSupport.parkNanos(blocker, nanos);
		}
	}

	@Override
	public void unpark(Thread thread) {
		LockSupport.unpark(thread);
	}

	@Override
	public LoopThread newLoopThread(String name, LoopThread.Loop loop) {
		return new SystemLoopThread(name, loop);
	}

	@Override
	public TaskThreads newTaskThreads(String name, Consumer<Runnable> later) {
		return new PacedThreads(name, later);
	}

}
