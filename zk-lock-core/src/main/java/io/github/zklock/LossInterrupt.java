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

	// Whose monitor and last two fields are for all bodies that are nested in it
	private final LossInterrupt outermost = (this.outer != null) ? this.outer.outermost : this;

	private boolean over;

	private boolean sent;

	// How many bodies run that have been interrupted
	private int pending;

	// Whether somebody else had interrupted the thread before the first of them was
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
	public void run() {
		synchronized (this.outermost) {
			if (!this.over) {
				note();
				this.thread.interrupt();
			}
		}
	}

	private void note() {
		if (!this.sent) {
			if (this.outermost.pending == 0) {
				this.outermost.foreign = this.thread.isInterrupted();
			}
			this.outermost.pending++;
			this.sent = true;
		}
	}

	/**
	 * The body has ended: from now on nobody is interrupted, and a flag that was set from
	 * here is cleared. To be called once, by the thread that ran the body.
	 * @return whether the body was interrupted from here
	 */
	public boolean end() {
		if (this.outer != null) {
			innermost.set(this.outer);
		}
		else {
			innermost.remove();
		}
		synchronized (this.outermost) {
			this.over = true;
			if (!this.sent) {
				return false;
			}
			this.outermost.pending--;
			if (this.outermost.foreign) {
				// that of somebody else is not ours to take back
				return false;
			}
			Thread.interrupted();
			if (this.outermost.pending > 0) {
				// a body around this one still needs it
				this.thread.interrupt();
			}
			return true;
		}
	}

	/**
	 * Return whether the body has ended, so that there is nothing to do any more.
	 * @return whether {@link #end()} was called
	 */
	public boolean isOver() {
		synchronized (this.outermost) {
			return this.over;
		}
	}

}
