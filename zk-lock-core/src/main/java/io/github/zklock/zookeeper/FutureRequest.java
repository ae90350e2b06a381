package io.github.zklock.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.zklock.LockLease;
import org.jspecify.annotations.Nullable;

/**
 * A future that waits for a lock. Who completes it in our place has cancelled it.
 */
final class FutureRequest extends Request {

	private final ZooKeeperLock lock;

	private final LockQueue queue;

	private final CompletableFuture<LockLease> future;

	private volatile @Nullable Future<?> timer;

	FutureRequest(ZooKeeperLock lock, Wait wait, CompletableFuture<LockLease> future) {
		super(lock.kind(), null, wait);
		this.lock = lock;
		this.queue = lock.queueForRequest();
		this.future = future;
	}

	void start() {
		if (!time().isEndless()) {
			this.timer = this.lock.loop().schedule(this::timeUp, time().remaining());
		}
		this.future.whenComplete((lease, failure) -> cancelled());
		try {
			this.queue.add(this);
		}
		catch (Throwable ex) {
			// Not on this stack, which may have come to its end
			this.lock.loop().execute(() -> this.future.cancel(false));
			throw ex;
		}
	}

	private void timeUp() {
		if (leave()) {
			boolean contended = this.queue.remove(this);
			this.queue.users()
				.executeSoon(() -> this.future.completeExceptionally(this.lock.notGranted(time(), contended)));
		}
	}

	private void cancelled() {
		cancelTimer();
		if (leave()) {
			this.queue.remove(this);
		}
	}

	private void cancelTimer() {
		Future<?> present = this.timer;
		if (present != null) {
			present.cancel(false);
		}
	}

	@Override
	void decided() {
		cancelTimer();
		this.queue.users().executeSoon(this::deliver);
	}

	private void deliver() {
		Outcome outcome = outcome();
		Hold hold = (outcome != null) ? outcome.hold() : null;
		if (hold == null) {
			this.future.completeExceptionally(this.lock.notGranted(time(), outcome));
		}
		else if (this.future.isDone()) {
			hold.discard();
		}
		else if (!hold.tell()) {
			new FutureRequest(this.lock, time(), this.future).start();
		}
		else if (!this.future.complete(hold)) {
			hold.release();
		}
	}

}
