package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.zklock.LockLease;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits for a lock. Who completes it in our place has cancelled it.
 */
final class FutureRequest extends Request {

	private final LockHandle lock;

	private final LockQueue queue;

	private final CompletableFuture<LockLease> future;

	private final AtomicBoolean delivered = new AtomicBoolean();

	private volatile LoopThread.@Nullable Timer timer;

	FutureRequest(LockHandle lock, Deadline deadline, CompletableFuture<LockLease> future) {
		super(lock.loop(), lock.kind(), deadline);
		this.lock = lock;
		this.queue = lock.queueForRequest();
		this.future = future;
	}

	@Override
	@Nullable Thread owner() {
		return null;
	}

	void start() {
		try {
			if (!deadline().isEndless()) {
				this.timer = this.lock.loop().schedule(this::timeUp, deadline().remaining());
			}
			this.future.whenComplete((lease, failure) -> cancelled());
			this.lock.loop().visit(() -> this.queue.add(this));
		}
		catch (Throwable ex) {
			this.forsaken = true;
			this.loop.troubled = true;
			throw ex;
		}
	}

	private void timeUp() {
		if (leave()) {
			expire();
		}
	}

	private void expire() {
		try {
			boolean contended = this.queue.remove(this);
			this.queue.context().users().executeSoon(() -> expire(contended));
		}
		catch (Throwable ex) {
			this.lock.loop().backOff(this::expire);
			throw ex;
		}
	}

	private void expire(boolean contended) {
		try {
			this.future.completeExceptionally(this.lock.notGranted(deadline(), contended));
		}
		catch (Throwable ex) {
			this.future.completeExceptionally(ex);
			throw ex;
		}
	}

	private void cancelled() {
		cancelTimer();
		try {
			if (leave()) {
				this.queue.remove(this);
			}
		}
		catch (Throwable ex) {
			this.forsaken = true;
			this.loop.troubled = true;
			throw ex;
		}
	}

	private void cancelTimer() {
		LoopThread.Timer present = this.timer;
		if (present != null) {
			present.cancel();
		}
	}

	@Override
	void decided() {
		cancelTimer();
		this.queue.context().users().executeSoon(this::deliver);
	}

	private void deliver() {
		if (!this.delivered.compareAndSet(false, true)) {
			return;
		}
		Outcome outcome = outcome();
		Hold hold = (outcome != null) ? outcome.hold() : null;
		try {
			deliver(outcome, hold);
		}
		catch (Throwable ex) {
			if (!has(hold)) {
				this.forsaken = true;
				this.loop.troubled = true;
			}
			this.future.completeExceptionally(ex);
			throw ex;
		}
	}

	/**
	 * Return whether the caller has been given a hold.
	 */
	private boolean has(@Nullable Hold hold) {
		return this.future.isDone() && !this.future.isCompletedExceptionally() && this.future.getNow(null) == hold;
	}

	private void deliver(@Nullable Outcome outcome, @Nullable Hold hold) {
		if (hold == null) {
			this.future.completeExceptionally(this.lock.notGranted(deadline(), outcome));
		}
		else if (this.forsaken || this.future.isDone()) {
			hold.discard();
			this.future.cancel(false);
		}
		else if (!hold.deliver()) {
			startAgain();
		}
		else if (!this.future.complete(hold)) {
			hold.release();
		}
	}

	/**
	 * The lock was lost before anybody was told. Who was thrown out does not want it any
	 * more, and nobody has its future.
	 */
	private void startAgain() {
		if (this.forsaken) {
			this.future.cancel(false);
		}
		else {
			new FutureRequest(this.lock, deadline(), this.future).start();
		}
	}

}
