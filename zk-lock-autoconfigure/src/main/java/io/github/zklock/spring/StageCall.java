package io.github.zklock.spring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.github.zklock.LockLostException;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LossInterrupt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A call that needs locks until the stage that its body returns is complete. No thread
 * owns the locks. Whoever completes the result, at whatever moment, ends the call: it
 * leaves the queue, or its stage is cancelled, and the locks are given back. They are
 * given back before the result is complete, so that whoever is told finds them free. Used
 * once.
 *
 * <p>
 * It is long because the call can end at any moment, by its stage, by whoever has its
 * result, or by a loss, and one state decides what has come first.
 *
 * @param <T> the type of the result
 */
final class StageCall<T extends @Nullable Object> implements LeaseAcquisition.Caller {

	private static final Logger logger = LoggerFactory.getLogger(LockTemplate.class);

	private enum Phase {

		/**
		 * Not all locks have been granted.
		 */
		WAITING,

		/**
		 * The body is to be called.
		 */
		GRANTED,

		/**
		 * The body has been called and has not returned. Nothing can be taken from it.
		 */
		CALLING,

		/**
		 * The stage that the body has returned is not complete.
		 */
		OPEN,

		ENDED

	}

	private final SharedLeases leases;

	private final LeaseAcquisition acquisition;

	private final Executor executor;

	private final UnaryOperator<Runnable> decorator;

	private final Function<@Nullable Object, CompletionStage<T>> flatten;

	private final CompletableFuture<T> result = new CompletableFuture<>();

	// a fallback takes its place before it is called
	private LockAction<? extends @Nullable CompletionStage<T>, ?> body;

	private Phase phase = Phase.WAITING;

	private @Nullable CompletionStage<T> stage;

	// because of which the body was interrupted, or its stage cancelled
	private @Nullable LockLostException interruption;

	/**
	 * Create a call.
	 * @param registry gives the locks
	 * @param leases gets the locks
	 * @param executor runs the body
	 * @param decorator decorates what the executor runs
	 * @param body what to do under the locks
	 * @param flatten makes a stage of what a fallback has returned
	 */
	StageCall(LockRegistry registry, SharedLeases leases, Executor executor, UnaryOperator<Runnable> decorator,
			LockAction<? extends @Nullable CompletionStage<T>, ?> body,
			Function<@Nullable Object, CompletionStage<T>> flatten) {
		this.leases = leases;
		this.acquisition = new LeaseAcquisition(registry, leases, this);
		this.executor = executor;
		this.decorator = decorator;
		this.body = body;
		this.flatten = flatten;
		this.result.whenComplete((value, failure) -> end());
	}

	/**
	 * Make a stage of anything.
	 */
	@SuppressWarnings("unchecked")
	static <T extends @Nullable Object> CompletionStage<T> stageOf(@Nullable Object value) {
		return (CompletionStage<T>) ((value instanceof CompletionStage<?> stage) ? stage
				: CompletableFuture.completedFuture(value));
	}

	// Taking the locks

	/**
	 * Wait for the locks without a thread.
	 * @param locks the locks in the order in which they are taken
	 */
	CompletableFuture<T> start(List<LockOptions> locks) {
		this.acquisition.begin(locks);
		return this.result;
	}

	/**
	 * Wait for the locks with the current thread, and call the body on it.
	 * @param locks the locks in the order in which they are taken
	 */
	CompletableFuture<T> startHere(List<LockOptions> locks) {
		this.acquisition.run(locks);
		return this.result;
	}

	@Override
	@SuppressWarnings("unchecked")
	public void refused(LockOptions lock) {
		if (lock.fallback() != null) {
			this.body = () -> this.flatten.apply(Contention.handle(lock));
			granted();
			return;
		}
		try {
			this.result.complete((T) Contention.handle(lock));
		}
		catch (LockTimeoutException ex) {
			this.result.completeExceptionally(ex);
		}
	}

	// Calling the body

	@Override
	public void granted() {
		if (!advance(Phase.WAITING, Phase.GRANTED)) {
			this.leases.giveBack();
			return;
		}
		try {
			this.executor.execute(new Task());
		}
		catch (RuntimeException | Error ex) {
			if (advance(Phase.GRANTED, Phase.ENDED)) {
				fail(ex);
			}
		}
	}

	private void call() {
		if (!advance(Phase.GRANTED, Phase.CALLING)) {
			return;
		}
		LossInterrupt interrupt = new LossInterrupt();
		Consumer<LockLostException> onLoss = this::lost;
		CompletionStage<T> returned;
		boolean interrupted;
		try {
			this.leases.requireNotLost();
			this.leases.interruptOnLoss(interrupt);
			this.leases.onInterruptingLoss(onLoss);
			returned = returned();
		}
		catch (Throwable ex) {
			returned = CompletableFuture.failedFuture(ex);
		}
		finally {
			interrupted = interrupt.end();
		}
		synchronized (this) {
			if (interrupted && this.interruption == null) {
				this.interruption = this.leases.loss();
			}
			this.stage = returned;
			this.phase = Phase.OPEN;
		}
		try {
			returned.whenComplete((value, failure) -> ended(value, failure, onLoss));
		}
		catch (RuntimeException | Error ex) {
			CompletableFuture.<T>failedFuture(ex).whenComplete((value, failure) -> ended(value, failure, onLoss));
		}
		if (this.result.isDone()) {
			cancel(returned);
		}
	}

	private CompletionStage<T> returned() throws Throwable {
		CompletionStage<T> returned = this.body.run();
		return (returned != null) ? returned : stageOf(null);
	}

	/**
	 * A lock is lost whose loss ends the call. Its body has been interrupted, if it runs.
	 */
	private void lost(LockLostException loss) {
		synchronized (this) {
			if (this.phase != Phase.CALLING && this.phase != Phase.OPEN) {
				return;
			}
			this.interruption = loss;
		}
		this.result.completeExceptionally(loss);
	}

	// The end

	/**
	 * The body's stage is complete.
	 */
	private void ended(T value, @Nullable Throwable failure, Consumer<LockLostException> onLoss) {
		this.leases.forgetInterruptingLoss(onLoss);
		LockLostException interruption;
		synchronized (this) {
			this.phase = Phase.ENDED;
			interruption = this.interruption;
		}
		LockLostException loss = this.leases.loss();
		this.leases.leave().whenComplete((left, problem) -> {
			if (interruption != null) {
				this.result
					.completeExceptionally(LockStack.because(interruption, (failure != null) ? unwrap(failure) : null));
			}
			else if (failure != null) {
				suppress(unwrap(failure), loss);
				suppress(unwrap(failure), (problem != null) ? unwrap(problem) : null);
				this.result.completeExceptionally(failure);
			}
			else if (loss != null || problem != null) {
				this.result.completeExceptionally((loss != null) ? loss : unwrap(problem));
			}
			else {
				this.result.complete(value);
			}
		});
	}

	private static void suppress(Throwable failure, @Nullable Throwable other) {
		if (other != null && other != failure && !(failure instanceof LockLostException)) {
			failure.addSuppressed(other);
		}
	}

	@Override
	public void fail(Throwable failure) {
		this.leases.giveBack().whenComplete((givenBack, problem) -> this.result.completeExceptionally(failure));
	}

	/**
	 * The result is complete, and perhaps somebody else has done it.
	 */
	private void end() {
		Phase before;
		CompletionStage<T> open;
		synchronized (this) {
			before = this.phase;
			open = this.stage;
			if (before == Phase.WAITING || before == Phase.GRANTED) {
				this.phase = Phase.ENDED;
			}
		}
		if (before == Phase.WAITING) {
			this.acquisition.cancel();
		}
		else if (before == Phase.GRANTED) {
			this.leases.giveBack();
		}
		else if (before == Phase.OPEN && open != null) {
			cancel(open);
		}
	}

	/**
	 * Cancel a stage. If it does not care, the locks are kept until it is complete.
	 */
	private static void cancel(CompletionStage<?> stage) {
		try {
			stage.toCompletableFuture().cancel(true);
		}
		catch (UnsupportedOperationException ex) {
			logger.debug("A stage of {} cannot be cancelled", stage.getClass());
		}
	}

	@Override
	public synchronized boolean isEnded() {
		return this.phase == Phase.ENDED;
	}

	private synchronized boolean advance(Phase from, Phase to) {
		if (this.phase != from) {
			return false;
		}
		this.phase = to;
		return true;
	}

	static Throwable unwrap(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof CompletionException && cause != null) ? cause : failure;
	}

	/**
	 * Calls the body. An executor that is shut down cancels it.
	 */
	private final class Task extends FutureTask<@Nullable Void> {

		Task() {
			super(StageCall.this.decorator.apply(StageCall.this::call), null);
		}

		@Override
		protected void done() {
			if (isCancelled()) {
				StageCall.this.result.cancel(false);
			}
		}

		@Override
		protected void setException(Throwable failure) {
			super.setException(failure);
			if (advance(Phase.GRANTED, Phase.ENDED)) {
				// the decorator has failed
				fail(failure);
			}
		}

	}

}
