package io.github.zklock.engine;

import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for a lock.
 */
final class BlockingRequest extends Request {

	private final Thread waiter = Thread.currentThread();

	private final boolean owned;

	/**
	 * Create a request of the current thread.
	 * @param loop where it is decided
	 * @param kind what is wanted
	 * @param owned whether the thread will own the lock; otherwise whoever has the lease
	 * does
	 * @param deadline how long to wait
	 */
	BlockingRequest(EventLoop loop, NodeKind kind, boolean owned, Deadline deadline) {
		super(loop, kind, deadline);
		this.owned = owned;
	}

	@Override
	@Nullable Thread owner() {
		return this.owned ? this.waiter : null;
	}

	@Override
	void decided() {
		platform().unpark(this.waiter);
	}

	/**
	 * Wait until it is decided, the time is over, or the thread is interrupted.
	 * @param interruptible whether interrupts end the wait; otherwise they are kept for
	 * later
	 * @return the outcome, null if there is none yet
	 */
	@Nullable Outcome await(boolean interruptible) {
		boolean interrupted = false;
		Outcome outcome = outcome();
		while (outcome == null) {
			long remaining = deadline().remaining();
			if (remaining <= 0 || (interruptible && this.waiter.isInterrupted())) {
				break;
			}
			platform().park(this, remaining);
			if (!interruptible && Thread.interrupted()) {
				interrupted = true;
			}
			outcome = outcome();
		}
		if (interrupted) {
			this.waiter.interrupt();
		}
		return outcome;
	}

}
