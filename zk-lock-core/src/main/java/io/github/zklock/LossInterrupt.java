package io.github.zklock;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that runs a body when its lock or its leadership is lost, and
 * never for anything else: not before, not after, and the thread does not keep the flag.
 *
 * <pre class="code">
 * LossInterrupt interrupt = new LossInterrupt();
 * lease.onLost(interrupt);
 * try {
 * 	...
 * }
 * finally {
 * 	interrupt.end();
 * }
 * </pre>
 *
 * Unlike other actions that are given to {@link LockLease#onLost(Runnable)} or
 * {@link io.github.zklock.leader.LeaderWork#onLost(Runnable)}, it is not run by a thread
 * for users but at once by whoever notices the loss, before anybody else is told: slow
 * listeners do not delay it. Bodies may be nested; each has an interrupt of its own.
 */
public final class LossInterrupt implements Runnable {

	private static final ThreadLocal<@Nullable LossInterrupt> innermost = new ThreadLocal<>();

	private final Thread thread = Thread.currentThread();

	private final @Nullable LossInterrupt outer = innermost.get();

	private boolean over;

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
	@Override
	public synchronized void run() {
		if (!this.over) {
			if (!this.sent) {
				// that of somebody else is not ours to take back
				this.foreign = this.thread.isInterrupted() && !isSentAround();
			}
			this.sent = true;
			this.thread.interrupt();
		}
	}

	/**
	 * The body has ended: from now on nobody is interrupted, and a flag that was set from
	 * here is cleared. To be called once, by the thread that ran the body.
	 * @return whether the body was interrupted from here
	 */
	public synchronized boolean end() {
		this.over = true;
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
	 * Return whether the body has ended, so that there is nothing to do any more.
	 * @return whether {@link #end()} was called
	 */
	public synchronized boolean isOver() {
		return this.over;
	}

	/**
	 * The flag may have been that of a body around this one, which still needs it.
	 */
	private void restoreOuter() {
		for (LossInterrupt around = this.outer; around != null; around = around.outer) {
			if (around.isSent()) {
				around.run();
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
