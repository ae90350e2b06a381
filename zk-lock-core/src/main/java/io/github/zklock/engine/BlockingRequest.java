package io.github.zklock.engine;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A thread that waits for a lock.
 */
final class BlockingRequest extends Request {

	private final Thread waiter = Thread.currentThread();

	BlockingRequest(EventLoop loop, NodeKind kind, @Nullable Thread owner, Wait wait) {
		super(loop, kind, owner, wait);
	}

	@Override
	void decided() {
		LockSupport.unpark(this.waiter);
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
			long remaining = time().remaining();
			if (remaining <= 0 || (interruptible && this.waiter.isInterrupted())) {
				break;
			}
			if (time().isEndless()) {
				LockSupport.park(this);
			}
			else {
				LockSupport.parkNanos(this, remaining);
			}
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
