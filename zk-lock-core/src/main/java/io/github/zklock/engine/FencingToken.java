package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * The fencing token of a hold, from the moment at which it is asked for. Thread-safe.
 */
final class FencingToken {

	private final Hold hold;

	private final LockQueue queue;

	private final CompletableFuture<Long> value = new CompletableFuture<>();

	/**
	 * An error has kept it from being asked for. A field, since a stack that has come to
	 * its end has no room for a call.
	 */
	volatile boolean failed;

	FencingToken(Hold hold, LockQueue queue) {
		this.hold = hold;
		this.queue = queue;
	}

	/**
	 * Find out the token.
	 */
	void request() {
		this.queue.loop().visit(() -> this.queue.requestToken(this.hold, this.value));
	}

	/**
	 * Wait for the token, as long as the hold may be believed. An interrupt is kept for
	 * later.
	 */
	long await() {
		boolean interrupted = false;
		try {
			while (true) {
				this.hold.requireHeld();
				if (this.failed) {
					throw this.queue.noToken(null);
				}
				try {
					long token = Futures.get(this.queue.platform(), this.value, this.hold.remaining());
					this.hold.requireHeld();
					return token;
				}
				catch (TimeoutException ex) {
					// the lease is over, or has been prolonged
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					this.hold.requireHeld();
					throw this.queue.noToken(ex.getCause());
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * The hold has ended: whoever waits for the token waits in vain.
	 */
	void end() {
		this.value.completeExceptionally(this.hold.lost());
	}

	/**
	 * Return the token, null if it is not known.
	 */
	@Nullable Long known() {
		return this.value.isCompletedExceptionally() ? null : this.value.getNow(null);
	}

}
