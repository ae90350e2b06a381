package io.github.zklock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LocalLock;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One grant of a lock to one caller: by one node, in one term of the session's lease. It
 * begins and ends once; what happens later to the lock is another hold's business.
 *
 * <p>
 * It is long because each way to end it (left, closed, kept for a while, lost, forsaken
 * after an error) may come at the same time as any other, and its one state decides which
 * of them counts.
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

	private final long grantedAt;

	private volatile State state = State.GRANTED;

	// When it was lost, or until when a closed one is kept. Written before the state
	private volatile long endsAt;

	// Written before the state
	private @Nullable Loss loss;

	// Once somebody wants to hear of a loss
	private volatile @Nullable Callbacks onLost;

	// Once it was asked for
	private @Nullable FencingToken token;

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
		this.grantedAt = now();
		this.endsAt = this.grantedAt;
	}

	@Override
	public String name() {
		return this.queue.name();
	}

	private RegistryContext context() {
		return this.queue.context();
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
	 * Return whether it was taken away, be it that not everything was done then.
	 */
	boolean hasLost() {
		return this.state == State.LOST;
	}

	/**
	 * Tell the caller that it holds the lock: the last moment to find out that it does
	 * not.
	 * @return false if the lock has been lost before anybody was told
	 */
	boolean deliver() {
		this.queue.pass("deliver");
		synchronized (this) {
			if (this.state == State.GRANTED && isCovered()) {
				Duration waited = this.request.deadline().waited();
				this.state = State.HELD;
				this.request.told();
				this.queue.pass("held");
				context().threadHolds().add(this);
				context().listeners().tell((listener) -> listener.acquired(this, waited));
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
					after.toMillis(), FencingToken.describe(this, this.token));
		}
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

	LocalLock describe(ClockReading now) {
		return this.request.describe(name(), this.grantedAt, now);
	}

	private long now() {
		return this.queue.loop().platform().nanoTime();
	}

	private Duration heldFor() {
		return Duration.ofNanos(heldNanos());
	}

	private long heldNanos() {
		return ((this.state == State.LOST) ? this.endsAt : now()) - this.grantedAt;
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
		return endAndFree(0);
	}

	private @Nullable CompletableFuture<Void> endAndFree(long lingerNanos) {
		try {
			return this.queue.loop().visitFor(() -> endAndFreeNow(lingerNanos));
		}
		catch (Throwable ex) {
			// As forsake(): the stack may have no room for a call
			this.request.forsaken = true;
			this.request.loop.troubled = true;
			throw ex;
		}
	}

	private @Nullable CompletableFuture<Void> endAndFreeNow(long lingerNanos) {
		synchronized (this) {
			if (this.state != State.HELD) {
				return null;
			}
			this.endsAt = now() + Math.max(0, lingerNanos);
		}
		this.queue.pass("end hold");
		boolean covered = isCovered();
		synchronized (this) {
			if (this.state != State.HELD) {
				return null;
			}
			if (covered) {
				this.state = State.CLOSED;
				this.queue.pass("closed");
				if (this.onLost != null) {
					this.onLost.ruleOut();
				}
				Duration held = heldFor();
				log("released", held);
				endToken();
				context().listeners().tell((listener) -> listener.released(this, held));
			}
		}
		if (!covered) {
			this.queue.lose(this, whyUncovered());
			return null;
		}
		CompletableFuture<Void> answered = (lingerNanos > 0) ? this.queue.linger(this, lingerNanos)
				: this.queue.release(this);
		context().threadHolds().remove(this);
		this.queue.pass("hold ended");
		return answered;
	}

	/**
	 * An error has thrown the caller out: whoever asks hears that the lock is not held,
	 * and soon it is free.
	 */
	void forsake() {
		// The stack may have no room for another call
		this.request.forsaken = true;
		this.request.loop.troubled = true;
	}

	/**
	 * Return whether the request has heard, or will hear, of this hold.
	 */
	boolean isDecided() {
		// The outcome first: the state changes before it is replaced
		Request.Outcome outcome = this.request.outcome();
		this.queue.pass("decided?");
		return (outcome != null && outcome.hold() == this) || isTold();
	}

	boolean isTold() {
		return this.state != State.GRANTED;
	}

	/**
	 * Return for how many nanoseconds it is kept for nobody although it is closed.
	 */
	long keptFor() {
		return this.endsAt - now();
	}

	/**
	 * Take the lock back from a caller who does not know that it has it.
	 */
	void takeBack() {
		discard();
		endAndFree(keptFor());
		context().threadHolds().remove(this);
	}

	@Override
	public void close(Duration minHold) {
		Futures.awaitQuietly(this.queue.loop().platform(), closeNow(toNanos(minHold)));
	}

	@Override
	public CompletableFuture<Void> closeAsync(Duration minHold) {
		return context().users().handOver(closeNow(toNanos(minHold)));
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
		long linger = minHoldNanos - (now() - this.grantedAt);
		CompletableFuture<Void> answered = endAndFree(linger);
		if (answered != null) {
			return answered;
		}
		if (this.state == State.LOST && owner() == Thread.currentThread()) {
			context().threadHolds().remove(this);
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
				this.endsAt = now();
				this.state = State.LOST;
				if (this.onLost != null) {
					this.onLost.interrupt();
				}
				endToken();
				if (told) {
					Duration held = heldFor();
					context().lossLog().lost(name(), held, loss);
					context().listeners().tell((listener) -> listener.lost(this, held));
				}
			}
		}
		Callbacks wanted = this.onLost;
		if (this.state == State.LOST && wanted != null) {
			// Again, if it was said before: an error may have prevented it
			wanted.happened();
		}
	}

	@Override
	public void onLost(Runnable action) {
		callbacks().add(action);
	}

	private synchronized Callbacks callbacks() {
		Callbacks present = this.onLost;
		if (present == null) {
			present = new Callbacks(context().users());
			if (this.state == State.CLOSED) {
				present.ruleOut();
			}
			else if (this.state == State.LOST) {
				present.happened();
			}
			this.onLost = present;
		}
		return present;
	}

	// Fencing

	@Override
	public long fencingToken() {
		return token().await();
	}

	private synchronized FencingToken token() {
		FencingToken present = this.token;
		if (present == null || present.hasFailed()) {
			present = new FencingToken(this, this.queue);
			this.token = present;
		}
		return present;
	}

	/**
	 * Whoever waits for the token waits in vain.
	 */
	private void endToken() {
		if (this.token != null) {
			this.token.end();
		}
	}

	boolean isFirst() {
		return this.first;
	}

}
