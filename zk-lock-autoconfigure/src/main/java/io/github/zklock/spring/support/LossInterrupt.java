package io.github.zklock.spring.support;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs a body when its lock or its leadership is lost, and
 * never for anything else: not before, not after, and the thread does not keep the flag.
 */
public final class LossInterrupt {

	private static final ThreadLocal<@Nullable LossInterrupt> innermost = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final @Nullable LossInterrupt outer = innermost.get();

	private boolean running = true;

	private boolean sent;

	private boolean foreign;

	/**
	 * Create an interrupt for the body that the current thread is about to run.
	 */
	public LossInterrupt() {
		innermost.set(this);
	}

	/**
	 * Interrupt the body, if it still runs.
	 */
	public synchronized void send() {
		if (this.running) {
			// that of somebody else is not ours to take back
			this.foreign = !this.sent && this.thread.isInterrupted() && !isSentAround();
			this.sent = true;
			this.thread.interrupt();
		}
	}

	/**
	 * The body has ended. To be called by the thread that ran it.
	 * @return whether it was interrupted from here
	 */
	public synchronized boolean end() {
		this.running = false;
		if (this.outer != null) {
			innermost.set(this.outer);
		}
		else {
			innermost.remove();
		}
		boolean ours = this.sent && !this.foreign;
		if (ours) {
			Thread.interrupted();
			restoreOuter();
		}
		return ours;
	}

	/**
	 * The flag may have been that of a body around this one, which still needs it.
	 */
	private void restoreOuter() {
		for (LossInterrupt around = this.outer; around != null; around = around.outer) {
			if (around.isSent()) {
				around.send();
				return;
			}
		}
	}

	private boolean isSentAround() {
		for (LossInterrupt around = this.outer; around != null; around = around.outer) {
			if (around.isSent()) {
				return true;
			}
		}
		return false;
	}

	private synchronized boolean isSent() {
		return this.sent;
	}

}
