package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.zklock.LockNames;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import org.jspecify.annotations.Nullable;

/**
 * The fencing token of a hold, from the moment at which it is asked for. Thread-safe.
 */
final class FencingToken {

	private final Hold hold;

	private final LockQueue queue;

	private final CompletableFuture<Long> value = new CompletableFuture<>();

	private final AtomicBoolean asked = new AtomicBoolean();

	// An error has kept it from being asked for
	private volatile boolean failed;

	FencingToken(Hold hold, LockQueue queue) {
		this.hold = hold;
		this.queue = queue;
	}

	/**
	 * Ask for the token, once. If that fails it was never asked for.
	 */
	private void ask() {
		if (!this.asked.compareAndSet(false, true)) {
			return;
		}
		boolean done = false;
		try {
			this.queue.loop().visit(this::askNow);
			done = true;
		}
		finally {
			if (!done) {
				this.failed = true;
				this.hold.forgetToken();
			}
		}
	}

	private void askNow() {
		synchronized (this.queue) {
			OwnNode node = this.hold.contender().node();
			if (!this.queue.isCurrent(this.hold)) {
				this.value.completeExceptionally(this.hold.lost());
			}
			else if (this.hold.isFirst() && node.czxidIsToken()) {
				this.value.complete(node.czxid());
			}
			else {
				byte[] data = this.queue.context().nodeData().of(this.hold.request().caller());
				node.writeToken(data, () -> this.queue.isCurrent(this.hold), this.value);
			}
		}
	}

	/**
	 * Ask for the token, and wait for it, as long as the hold may be believed. An
	 * interrupt is kept for later.
	 */
	long await() {
		ask();
		boolean interrupted = false;
		try {
			while (true) {
				requireHeld();
				if (this.failed) {
					throw notWritten(null);
				}
				try {
					long token = Futures.get(this.queue.loop().platform(), this.value,
							this.hold.contender().session().lease().remaining());
					requireHeld();
					return token;
				}
				catch (TimeoutException ex) {
					// the lease is over, or has been prolonged
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					requireHeld();
					throw notWritten(ex.getCause());
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void requireHeld() {
		if (this.hold.isHeld()) {
			return;
		}
		if (this.hold.isClosed()) {
			throw new IllegalStateException(
					"Lock '%s' has been given back".formatted(LockNames.shown(this.hold.name())));
		}
		throw this.hold.lost();
	}

	private LockUnavailableException notWritten(@Nullable Throwable cause) {
		return new Failure(UnavailableReason.REFUSED, "it refuses to write the fencing token: " + Refusal.RECIPE, cause)
			.ofLock(this.hold.name(), this.queue.context().keeper().place());
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
