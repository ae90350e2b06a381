package io.github.zklock.engine;

import io.github.zklock.LockMode;
import io.github.zklock.LockNames;

/**
 * A hold that a thread owns, and how often that thread has entered it in each mode. By
 * that thread only.
 */
final class ThreadHold {

	private final Hold hold;

	private int reads;

	private int writes;

	/**
	 * Begin with one entry, in the mode of the hold.
	 */
	ThreadHold(Hold hold) {
		this.hold = hold;
		count(hold.mode(), 1);
	}

	Hold hold() {
		return this.hold;
	}

	/**
	 * Enter once more. Who has the whole lock may also read; the other way round a caller
	 * would wait for itself.
	 * @return false if the hold has been closed meanwhile
	 */
	boolean enter(LockMode mode) {
		if (!this.hold.isHeld()) {
			if (this.hold.isClosed() || this.hold.request().forsaken) {
				return false;
			}
			throw this.hold.lost();
		}
		if (mode == LockMode.WRITE && this.writes == 0) {
			throw new IllegalMonitorStateException(
					"Thread '%s' holds lock '%s' for reading and would wait for itself: unlock the read lock first"
						.formatted(Thread.currentThread().getName(), LockNames.shown(this.hold.name())));
		}
		count(mode, 1);
		return true;
	}

	boolean isEntered(LockMode mode) {
		return ((mode == LockMode.READ) ? this.reads : this.writes) > 0;
	}

	/**
	 * Return whether it was entered more than once, so that it goes on when it is left.
	 */
	boolean isEnteredAgain() {
		return this.reads + this.writes > 1;
	}

	/**
	 * Leave once.
	 */
	void leave(LockMode mode) {
		count(mode, -1);
	}

	private void count(LockMode mode, int change) {
		if (mode == LockMode.READ) {
			this.reads += change;
		}
		else {
			this.writes += change;
		}
	}

}
