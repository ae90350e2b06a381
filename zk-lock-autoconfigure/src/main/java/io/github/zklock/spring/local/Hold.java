package io.github.zklock.spring.local;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LocalLock;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import io.github.zklock.LossReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock in somebody's hands. It begins and ends once; what happens later to the lock is
 * another hold's business. Its state changes under the monitor of the {@link LockTable}.
 */
final class Hold implements LockLease {

	private static final Logger logger = LoggerFactory.getLogger(Hold.class);

	private enum State {

		/**
		 * Granted, but the caller does not know yet.
		 */
		GRANTED,

		HELD, CLOSED, LOST

	}

	private final LockTable table;

	private final Request request;

	private final long token;

	private final long grantedAt = System.nanoTime();

	private final Instant since = Instant.now();

	private final LossActions lossActions;

	// Written before the state, as what follows
	private LossReason reason = LossReason.REGISTRY_CLOSED;

	private long lostAfter;

	private volatile State state = State.GRANTED;

	private @Nullable Future<?> lingering;

	// by the owning thread only
	private int reads;

	// by the owning thread only
	private int writes;

	Hold(LockTable table, Request request, long token) {
		this.table = table;
		this.request = request;
		this.token = token;
		this.lossActions = new LossActions(table.services().users());
		count(mode(), 1);
	}

	@Override
	public String name() {
		return this.request.name();
	}

	LockMode mode() {
		return this.request.mode();
	}

	@Nullable Thread owner() {
		return this.request.owner();
	}

	Request request() {
		return this.request;
	}

	/**
	 * Return the token, whatever has become of the hold.
	 */
	long token() {
		return this.token;
	}

	@Override
	public boolean isHeld() {
		return this.state == State.HELD;
	}

	boolean isClosed() {
		return this.state == State.CLOSED;
	}

	LocalLock describe() {
		return this.request.describe(this.since);
	}

	@Override
	public long fencingToken() {
		if (!isHeld()) {
			if (isClosed()) {
				throw new IllegalStateException("Lock '%s' has been given back".formatted(LockNames.shown(name())));
			}
			throw lost();
		}
		return this.token;
	}

	@Override
	public void onLost(Runnable action) {
		this.lossActions.add(action);
	}

	@Override
	public boolean isLost() {
		return this.state == State.LOST;
	}

	@Override
	public Optional<LockLostException> loss() {
		return isLost() ? Optional.of(lost()) : Optional.empty();
	}

	LockLostException lost() {
		boolean broken = this.reason == LossReason.BROKEN_ON_REQUEST;
		return new LockLostException(name(),
				"Lock '%s' was lost after %d ms: %s".formatted(LockNames.shown(name()),
						TimeUnit.NANOSECONDS.toMillis(this.lostAfter),
						broken ? "it was broken by LockInspector.breakLock"
								: "the registry was closed, and its wait for holders (zk.lock.shutdown.wait) was over"),
				this.reason, null);
	}

	// Entering again

	/**
	 * Enter once more. Who has the whole lock may also read; the other way round a caller
	 * would wait for itself.
	 * @return false if the hold has been closed meanwhile
	 */
	boolean enter(LockMode mode) {
		if (!isHeld()) {
			if (isClosed()) {
				return false;
			}
			throw lost();
		}
		if (mode == LockMode.WRITE && this.writes == 0) {
			throw new IllegalMonitorStateException(
					"Thread '%s' holds lock '%s' for reading and would wait for itself: unlock the read lock first"
						.formatted(Thread.currentThread().getName(), LockNames.shown(name())));
		}
		count(mode, 1);
		return true;
	}

	boolean isEntered(LockMode mode) {
		return ((mode == LockMode.READ) ? this.reads : this.writes) > 0;
	}

	/**
	 * Leave once.
	 * @return whether it was entered more often, so that it goes on
	 */
	boolean leaveInner(LockMode mode) {
		count(mode, -1);
		return this.reads + this.writes > 0;
	}

	private void count(LockMode mode, int change) {
		if (mode == LockMode.READ) {
			this.reads += change;
		}
		else {
			this.writes += change;
		}
	}

	// The end

	@Override
	public void close() {
		this.table.close(this, 0);
	}

	@Override
	public void close(Duration minHold) {
		if (minHold.isNegative()) {
			throw new IllegalArgumentException("'minHold' of lock '%s' must not be negative but was %s"
				.formatted(LockNames.shown(name()), minHold));
		}
		this.table.close(this, Wait.toNanos(minHold) - heldNanos());
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		close();
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Void> closeAsync(Duration minHold) {
		close(minHold);
		return CompletableFuture.completedFuture(null);
	}

	private long heldNanos() {
		return System.nanoTime() - this.grantedAt;
	}

	// Under the monitor of the table

	/**
	 * The caller is told that it holds the lock.
	 * @return false if it has been lost before
	 */
	boolean markHeld() {
		if (this.state != State.GRANTED) {
			return false;
		}
		this.state = State.HELD;
		Duration waited = this.request.time().waited();
		this.table.services().tell((listener) -> listener.acquired(this, waited));
		return true;
	}

	/**
	 * The caller gives the lock back.
	 * @return false if the hold had ended before
	 */
	boolean markClosed() {
		State before = this.state;
		if (before == State.CLOSED || before == State.LOST) {
			return false;
		}
		this.state = State.CLOSED;
		if (before == State.HELD) {
			Duration held = Duration.ofNanos(heldNanos());
			this.table.services().tell((listener) -> listener.released(this, held));
		}
		return true;
	}

	/**
	 * The lock is taken away from the caller.
	 */
	void markLost(LossReason why) {
		State before = this.state;
		if (before == State.CLOSED || before == State.LOST) {
			return;
		}
		this.reason = why;
		this.lostAfter = heldNanos();
		this.state = State.LOST;
		if (before == State.HELD) {
			Duration held = Duration.ofNanos(heldNanos());
			this.table.services().tell((listener) -> listener.lost(this, held));
			logger.warn("{}", lost().getMessage());
		}
		this.lossActions.lost();
	}

	/**
	 * The lock is kept for nobody, until something frees it.
	 */
	void linger(Future<?> end) {
		this.lingering = end;
	}

	void stopLingering() {
		if (this.lingering != null) {
			this.lingering.cancel(false);
		}
	}

}
