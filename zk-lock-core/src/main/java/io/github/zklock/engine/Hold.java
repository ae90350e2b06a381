package io.github.zklock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.zklock.LocalLock;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock in somebody's hands: a node, a term of the session's lease, and one caller. It
 * begins and ends once; what happens later to the lock is another hold's business.
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

	private final LockQueue queue;

	private final Contender contender;

	private final int term;

	private final boolean first;

	private final Request request;

	private final long grantedAt = System.nanoTime();

	// by the owning thread only
	private int reads;

	// by the owning thread only
	private int writes;

	private volatile State state = State.GRANTED;

	// How long a closed one is kept for nobody
	private volatile long keptUntil = this.grantedAt;

	// Written before the state
	private @Nullable Loss loss;

	// Until it was lost, written before the state
	private long heldNanos;

	private final Callbacks onLost;

	private @Nullable CompletableFuture<Long> token;

	/**
	 * Create a hold.
	 * @param queue whose lock it is
	 * @param contender the granted attempt
	 * @param term the term of the lease in which it is granted
	 * @param first whether nobody has held the lock by this attempt before
	 * @param request whose wait is over
	 */
	Hold(LockQueue queue, Contender contender, int term, boolean first, Request request) {
		this.queue = queue;
		this.contender = contender;
		this.term = term;
		this.first = first;
		this.request = request;
		this.onLost = new Callbacks(queue.users());
		count(mode(), 1);
	}

	@Override
	public String name() {
		return this.queue.name();
	}

	/**
	 * Return how ZooKeeper has granted the lock.
	 */
	LockMode mode() {
		return this.request.kind().mode();
	}

	@Nullable Thread owner() {
		return this.request.owner();
	}

	Request request() {
		return this.request;
	}

	Contender contender() {
		return this.contender;
	}

	int term() {
		return this.term;
	}

	/**
	 * Return whether ZooKeeper cannot have given the lock to somebody else.
	 */
	boolean isCovered() {
		return this.contender.session().lease().isValid(this.term);
	}

	@Override
	public boolean isHeld() {
		return this.state == State.HELD && !this.request.forsaken && isCovered();
	}

	boolean isClosed() {
		return this.state == State.CLOSED;
	}

	/**
	 * Tell the caller that it holds the lock: the last moment to find out that it does
	 * not.
	 * @return false if the lock has been lost before anybody was told
	 */
	boolean tell() {
		this.queue.pass("tell");
		synchronized (this) {
			if (this.state == State.GRANTED && isCovered()) {
				this.state = State.HELD;
				this.queue.pass("held");
				this.queue.threadHolds().add(this);
				Duration waited = this.request.time().waited();
				this.queue.listeners().tell((listener) -> listener.acquired(this, waited));
				log("acquired", waited);
				return true;
			}
		}
		this.queue.lose(this, whyUncovered());
		return false;
	}

	private void log(String event, Duration after) {
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '{}' ({}) {} after {} ms, token {}", LockNames.shown(name()), mode(), event,
					after.toMillis(), knownToken());
		}
	}

	/**
	 * Return the token if it costs nothing.
	 */
	private String knownToken() {
		CompletableFuture<Long> asked = this.token;
		Long known = (asked != null && !asked.isCompletedExceptionally()) ? asked.getNow(null) : null;
		if (known == null && this.first && this.contender.czxidIsToken()) {
			known = this.contender.czxid();
		}
		return (known != null) ? known.toString() : "not asked for";
	}

	/**
	 * Return why ZooKeeper may have given the lock to somebody else, if it may.
	 */
	Loss whyUncovered() {
		return this.contender.session().loss(this.term);
	}

	/**
	 * Give the lock back that the caller does not want any more, and was never told of.
	 */
	void discard() {
		synchronized (this) {
			if (this.state != State.GRANTED) {
				return;
			}
			this.state = State.CLOSED;
		}
		this.queue.release(this);
	}

	LocalLock describe() {
		return this.request.describe(name(), heldFor());
	}

	private Duration heldFor() {
		return Duration.ofNanos(heldNanos());
	}

	private long heldNanos() {
		return (this.state == State.LOST) ? this.heldNanos : System.nanoTime() - this.grantedAt;
	}

	// Entering again

	/**
	 * Enter once more. Who has the whole lock may also read; the other way round a caller
	 * would wait for itself.
	 * @return false if the hold has been closed meanwhile
	 */
	boolean enter(LockMode mode) {
		if (!isHeld()) {
			if (isClosed() || this.request.forsaken) {
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
	 * Return whether it was entered more than once, so that it goes on when it is left.
	 */
	boolean isEnteredAgain() {
		return this.reads + this.writes > 1;
	}

	/**
	 * Leave once.
	 */
	void leaveInner(LockMode mode) {
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

	@Override
	public boolean isLost() {
		return !isHeld() && !isClosed();
	}

	@Override
	public Optional<LockLostException> loss() {
		return isLost() ? Optional.of(lost()) : Optional.empty();
	}

	/**
	 * Say that the lock was lost, and why.
	 */
	LockLostException lost() {
		return whyLost().ofLock(name(), TimeUnit.NANOSECONDS.toMillis(heldNanos()), null);
	}

	private Loss whyLost() {
		if (this.state == State.LOST && this.loss != null) {
			return this.loss;
		}
		// Nobody else has noticed yet, or an error has thrown the caller out
		return isCovered() ? Loss.INTERNAL_ERROR : whyUncovered();
	}

	// The end

	/**
	 * End the hold and free the lock.
	 * @return completed when ZooKeeper has answered; null if the hold had ended before
	 */
	@Nullable CompletableFuture<Void> release() {
		return finish(0);
	}

	private @Nullable CompletableFuture<Void> finish(long lingerNanos) {
		try {
			return this.queue.loop().visitFor(() -> finishNow(lingerNanos));
		}
		catch (Throwable ex) {
			forsake();
			throw ex;
		}
	}

	private @Nullable CompletableFuture<Void> finishNow(long lingerNanos) {
		this.keptUntil = System.nanoTime() + Math.max(0, lingerNanos);
		this.queue.pass("finish");
		boolean covered = isCovered();
		synchronized (this) {
			if (this.state != State.HELD) {
				return null;
			}
			if (covered) {
				this.state = State.CLOSED;
				this.queue.pass("closed");
				this.onLost.ruleOut();
				Duration held = heldFor();
				log("released", held);
				endToken();
				this.queue.listeners().tell((listener) -> listener.released(this, held));
			}
		}
		if (!covered) {
			this.queue.lose(this, whyUncovered());
			return null;
		}
		CompletableFuture<Void> answered = (lingerNanos > 0) ? this.queue.linger(this, lingerNanos)
				: this.queue.release(this);
		this.queue.threadHolds().remove(this);
		this.queue.pass("finished");
		return answered;
	}

	/**
	 * An error has thrown the caller out: whoever asks hears that the lock is not held,
	 * and soon it is free.
	 */
	void forsake() {
		this.request.forsaken = true;
		this.queue.troubled();
	}

	/**
	 * Return whether the request has heard, or will hear, of this hold.
	 */
	boolean isDecided() {
		Request.Outcome outcome = this.request.outcome();
		return outcome != null && outcome.hold() == this;
	}

	boolean isTold() {
		return this.state != State.GRANTED;
	}

	/**
	 * Return for how many nanoseconds it is kept for nobody although it is closed.
	 */
	long keptFor() {
		return this.keptUntil - System.nanoTime();
	}

	/**
	 * Take the lock back from a caller who does not know that it has it.
	 */
	void takeBack() {
		discard();
		finish(keptFor());
		this.queue.threadHolds().remove(this);
	}

	@Override
	public void close() {
		Durations.awaitQuietly(closeNow(0));
	}

	@Override
	public void close(Duration minHold) {
		Durations.awaitQuietly(closeNow(toNanos(minHold)));
	}

	@Override
	public CompletableFuture<Void> closeAsync() {
		return this.queue.users().handOver(closeNow(0));
	}

	@Override
	public CompletableFuture<Void> closeAsync(Duration minHold) {
		return this.queue.users().handOver(closeNow(toNanos(minHold)));
	}

	private long toNanos(Duration minHold) {
		if (minHold.isNegative()) {
			throw new IllegalArgumentException("'minHold' of lock '%s' must not be negative but was %s"
				.formatted(LockNames.shown(name()), minHold));
		}
		return Durations.toNanos(minHold);
	}

	/**
	 * Close this without waiting.
	 * @return completed when ZooKeeper has answered, if it was asked
	 */
	private CompletableFuture<Void> closeNow(long minHoldNanos) {
		long linger = minHoldNanos - (System.nanoTime() - this.grantedAt);
		CompletableFuture<Void> answered = finish(linger);
		if (answered != null) {
			return answered;
		}
		if (this.state == State.LOST && owner() == Thread.currentThread()) {
			this.queue.threadHolds().remove(this);
		}
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * The lock has been lost.
	 */
	void lose(Loss loss) {
		synchronized (this) {
			if (this.state == State.HELD || this.state == State.GRANTED) {
				boolean told = this.state == State.HELD;
				this.loss = loss;
				this.heldNanos = System.nanoTime() - this.grantedAt;
				this.state = State.LOST;
				this.onLost.interrupt();
				endToken();
				if (told) {
					Duration held = heldFor();
					this.queue.lossLog().lost(name(), held, loss);
					this.queue.listeners().tell((listener) -> listener.lost(this, held));
				}
			}
		}
		if (this.state == State.LOST) {
			// Again, if it was said before: an error may have prevented it
			this.onLost.happened();
		}
	}

	@Override
	public void onLost(Runnable action) {
		this.onLost.add(action);
	}

	// Fencing

	@Override
	public long fencingToken() {
		CompletableFuture<Long> asked = askForToken();
		boolean interrupted = false;
		try {
			while (true) {
				requireHeld();
				try {
					long value = Durations.get(asked, this.contender.session().lease().remaining());
					requireHeld();
					return value;
				}
				catch (TimeoutException ex) {
					// the lease is over, or has been prolonged
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					requireHeld();
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
	 * Whoever waits for the token waits in vain.
	 */
	private void endToken() {
		if (this.token != null) {
			this.token.completeExceptionally(lost());
		}
	}

	private void requireHeld() {
		if (!isHeld()) {
			if (isClosed()) {
				throw new IllegalStateException("Lock '%s' has been given back".formatted(LockNames.shown(name())));
			}
			throw lost();
		}
	}

	private CompletableFuture<Long> askForToken() {
		CompletableFuture<Long> asked;
		synchronized (this) {
			if (this.token != null) {
				return this.token;
			}
			asked = new CompletableFuture<>();
			this.token = asked;
		}
		this.queue.loop().visit(() -> this.queue.requestToken(this, asked));
		return asked;
	}

	boolean isFirst() {
		return this.first;
	}

}
