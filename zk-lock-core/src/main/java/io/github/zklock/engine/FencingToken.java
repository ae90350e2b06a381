package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
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

	// Who was thrown out by an error wakes nobody
	private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Hold hold;

	private final LockQueue queue;

	private final CompletableFuture<Long> value = new CompletableFuture<>();

	private final AtomicBoolean asked = new AtomicBoolean();

	// An error has kept it from being asked for, perhaps without the stack for a call
	private volatile boolean failed;

	FencingToken(Hold hold, LockQueue queue) {
		this.hold = hold;
		this.queue = queue;
	}

	/**
	 * Return whether an error has kept it from being asked for: whoever wants it asks
	 * anew.
	 */
	boolean hasFailed() {
		return this.failed;
	}

	/**
	 * Ask for the token, once.
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
					return this.hold.fencingToken();
				}
				try {
					long token = Futures.get(this.queue.loop().platform(), this.value,
							Math.min(this.hold.contender().session().lease().remaining(), LOOK_AGAIN_NANOS));
					requireHeld();
					return token;
				}
				catch (TimeoutException ex) {
					// the lease is over, or has been prolonged, or nobody has asked
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
	 * Describe the token of a hold, if it costs nothing.
	 * @param asked null if nobody has asked for it
	 */
	static String describe(Hold hold, @Nullable FencingToken asked) {
		Long known = (asked != null) ? asked.known() : null;
		OwnNode node = hold.contender().node();
		if (known == null && hold.isFirst() && node.czxidIsToken()) {
			known = node.czxid();
		}
		return (known != null) ? known.toString() : "not asked for";
	}

	private @Nullable Long known() {
		return this.value.isCompletedExceptionally() ? null : this.value.getNow(null);
	}

}
