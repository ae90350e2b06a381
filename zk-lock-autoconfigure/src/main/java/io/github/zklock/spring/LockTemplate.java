package io.github.zklock.spring;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.github.zklock.LockRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Runs code while locks are held, for code that is not called through a proxy; what
 * {@link DistributedLock} does is done here. Thread-safe.
 *
 * <pre class="code">
 * Invoice paid = lockTemplate.execute("invoice-" + id, () -&gt; pay(id));
 * </pre>
 */
public class LockTemplate {

	private final LockRegistry registry;

	private final Duration maxWait;

	private final Executor executor;

	/**
	 * Create a template.
	 * @param registry gives the locks
	 * @param maxWait how long to wait by default
	 * @param executor runs what {@link #executeAsync} is given
	 */
	public LockTemplate(LockRegistry registry, Duration maxWait, Executor executor) {
		this.registry = registry;
		this.maxWait = maxWait;
		this.executor = executor;
	}

	/**
	 * Run an action while the current thread holds a lock, with all defaults.
	 * @param <T> the type of the result
	 * @param <E> what the action may throw
	 * @param name the lock's name
	 * @param action what to do
	 * @return what the action has returned
	 * @throws E what the action has thrown
	 * @throws io.github.zklock.LockTimeoutException if others hold the lock
	 * @throws io.github.zklock.LockUnavailableException if ZooKeeper could not be asked
	 * @throws io.github.zklock.LockLostException if the lock was lost while the action
	 * ran
	 * @throws LockInterruptedException if interrupted while waiting
	 */
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockAction<T, E> action) throws E {
		return execute(LockOptions.of(name), action);
	}

	/**
	 * As {@link #execute(String, LockAction)}, without a result.
	 * @param <E> what the task may throw
	 * @param name the lock's name
	 * @param task what to do
	 * @throws E what the task has thrown
	 */
	public <E extends Throwable> void execute(String name, LockTask<E> task) throws E {
		execute(LockOptions.of(name), task);
	}

	/**
	 * Run an action while the current thread holds a lock.
	 * @param <T> the type of the result
	 * @param <E> what the action may throw
	 * @param options the lock
	 * @param action what to do
	 * @return what the action, or the fallback, has returned; null if it was skipped
	 * @throws E what the action has thrown
	 */
	public <T extends @Nullable Object, E extends Throwable> T execute(LockOptions options, LockAction<T, E> action)
			throws E {
		return execute(List.of(options), action);
	}

	/**
	 * As {@link #execute(LockOptions, LockAction)}, without a result.
	 * @param <E> what the task may throw
	 * @param options the lock
	 * @param task what to do
	 * @throws E what the task has thrown
	 */
	public <E extends Throwable> void execute(LockOptions options, LockTask<E> task) throws E {
		execute(List.of(options), task);
	}

	/**
	 * Run an action while the current thread holds several locks. They are taken in the
	 * order of their names; if one cannot be had, its policy applies and the others are
	 * given back. A name that occurs twice is one lock, taken in the stronger way.
	 * @param <T> the type of the result
	 * @param <E> what the action may throw
	 * @param locks the locks, at least one
	 * @param action what to do
	 * @return what the action, or the fallback, has returned; null if it was skipped
	 * @throws E what the action has thrown
	 */
	@SuppressWarnings({ "unchecked", "NullAway" }) // T may be nullable
	public <T extends @Nullable Object, E extends Throwable> T execute(Collection<LockOptions> locks,
			LockAction<T, E> action) throws E {
		BlockingCall call = new BlockingCall(this.registry);
		LockOptions refused = call.enter(LockPlan.of(locks, this.maxWait));
		return (refused != null) ? (T) Contention.handle(refused) : call.run(action);
	}

	/**
	 * As {@link #execute(Collection, LockAction)}, without a result.
	 * @param <E> what the task may throw
	 * @param locks the locks, at least one
	 * @param task what to do
	 * @throws E what the task has thrown
	 */
	public <E extends Throwable> void execute(Collection<LockOptions> locks, LockTask<E> task) throws E {
		this.<@Nullable Void, E>execute(locks, () -> {
			task.run();
			return null;
		});
	}

	/**
	 * As {@link #executeAsync(Collection, Supplier)}, with one lock.
	 * @param <T> the type of the result
	 * @param options the lock
	 * @param action what to do
	 * @return what comes of the action's stage
	 */
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockOptions options,
			Supplier<? extends CompletionStage<T>> action) {
		return executeAsync(List.of(options), action);
	}

	/**
	 * Run an action while locks are held, until the stage that it returns is complete. No
	 * thread waits for the locks, and no thread owns them: nobody enters them again. The
	 * action runs on the template's executor. Never throws: the result fails instead.
	 *
	 * <p>
	 * Cancelling the result leaves the queue, or cancels the action's stage. So does
	 * completing it in any other way. A stage that cannot be cancelled keeps the locks
	 * until it is complete.
	 *
	 * <p>
	 * A transaction of the calling thread does not commit if a lock has been lost, and
	 * keeps the locks until it has ended.
	 * @param <T> the type of the result
	 * @param locks the locks, at least one
	 * @param action what to do
	 * @return what comes of the action's stage, or of the fallback, which may return a
	 * stage or a value; null if it was skipped
	 */
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(Collection<LockOptions> locks,
			Supplier<? extends CompletionStage<T>> action) {
		return stage(locks, this.executor, ContextSnapshots.capture(), action::get, StageCall::start);
	}

	/**
	 * As {@link #executeAsync(Collection, Supplier)}, but the current thread waits for
	 * the locks and runs the action. Returns when the action has returned; the locks are
	 * held until its stage is complete.
	 * @param <T> the type of the result
	 * @param locks the locks, at least one
	 * @param action what to do
	 * @return what comes of the action's stage, or of the fallback, which may return a
	 * stage or a value; null if it was skipped; fails with
	 * {@link LockInterruptedException} if interrupted while waiting
	 */
	public <T extends @Nullable Object> CompletableFuture<T> executeHere(Collection<LockOptions> locks,
			LockAction<? extends @Nullable CompletionStage<T>, ?> action) {
		return stage(locks, Runnable::run, UnaryOperator.identity(), action, StageCall::startHere);
	}

	private <T extends @Nullable Object> CompletableFuture<T> stage(Collection<LockOptions> locks, Executor executor,
			UnaryOperator<Runnable> decorator, LockAction<? extends @Nullable CompletionStage<T>, ?> action,
			BiFunction<StageCall<T>, List<LockOptions>, CompletableFuture<T>> start) {
		try {
			List<LockOptions> merged = LockPlan.of(locks, this.maxWait);
			SharedLeases leases = new SharedLeases();
			leases.keepForTransaction();
			return start.apply(
					new StageCall<>(this.registry, leases, executor, decorator,
							() -> LockStack.within(leases.heldInside(LockStack.current()), action), StageCall::stageOf),
					merged);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	LockRegistry registry() {
		return this.registry;
	}

	Duration maxWait() {
		return this.maxWait;
	}

}
