package io.github.zklock.autoconfigure;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.engine.LockEngine;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Starts and stops the locks of an application with it. They can be used before the
 * start, so that beans can lock while they are made.
 */
class LockLifecycle implements SmartLifecycle, DisposableBean {

	/**
	 * Before executors start and after they have stopped, so that what they run can use
	 * locks.
	 */
	static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private final LockEngine locks;

	private volatile boolean running;

	LockLifecycle(LockEngine locks) {
		this.locks = locks;
	}

	LockRegistry registry() {
		return this.locks.registry();
	}

	LockInspector inspector() {
		return this.locks.inspector();
	}

	// One after the other: whoever destroys waits for the one who stops

	@Override
	public synchronized void start() {
		this.locks.resume();
		this.running = true;
	}

	/**
	 * Refuse new requests, wait for those who hold a lock, free all locks and end the
	 * session.
	 */
	@Override
	public synchronized void stop() {
		this.running = false;
		this.locks.stop();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Stop for good.
	 */
	@Override
	public synchronized void destroy() {
		this.running = false;
		this.locks.close();
	}

}
