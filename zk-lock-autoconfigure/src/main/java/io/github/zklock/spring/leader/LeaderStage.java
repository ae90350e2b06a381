package io.github.zklock.spring.leader;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.leader.LeaderWork;
import io.github.zklock.spring.LockAction;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * Work of a leader that goes on without its thread, until a stage is complete.
 */
final class LeaderStage<T extends @Nullable Object> {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final LeadershipExecution execution;

	private final LeaderWork work;

	private final boolean interrupted;

	/**
	 * Go on with work.
	 * @param execution says what becomes of a loss
	 * @param work what its thread has begun
	 * @param interrupted whether the thread was interrupted because of a loss
	 */
	LeaderStage(LeadershipExecution execution, LeaderWork work, boolean interrupted) {
		this.execution = execution;
		this.work = work;
		this.interrupted = interrupted;
	}

	/**
	 * Call what returns a stage. What it throws is a failure of the stage.
	 */
	static <T extends @Nullable Object> CompletionStage<T> call(LockAction<? extends CompletionStage<T>, ?> action) {
		try {
			return Objects.requireNonNull(action.run(), "No stage was returned");
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Go on until a stage is complete.
	 * @return what comes of it
	 */
	CompletableFuture<T> follow(CompletionStage<T> stage) {
		try {
			// First, so that what a complete one says of a loss is heard
			whenComplete(stage);
			this.result.whenComplete((value, failure) -> cancel(stage));
			if (this.execution.onLost() == OnLost.INTERRUPT) {
				this.work.onLost(() -> this.result.completeExceptionally(LeadershipLoss.of(this.work, null)));
			}
		}
		catch (Throwable ex) {
			cancel(stage);
			throw ex;
		}
		return this.result;
	}

	private void whenComplete(CompletionStage<T> stage) {
		try {
			stage.whenComplete(this::complete);
		}
		catch (RuntimeException | Error ex) {
			CompletableFuture.<T>failedFuture(ex).whenComplete(this::complete);
		}
	}

	private void complete(T value, @Nullable Throwable failure) {
		try {
			end(value, failure);
		}
		catch (Throwable ex) {
			// Nobody may wait for ever
			this.result.completeExceptionally(ex);
			throw ex;
		}
	}

	private void end(T value, @Nullable Throwable failure) {
		this.work.close();
		boolean lost = this.execution.isLost(this.work);
		if (this.interrupted || (lost && failure == null)) {
			this.result.completeExceptionally(LeadershipLoss.of(this.work, failure));
		}
		else if (failure != null) {
			if (lost) {
				LeadershipLoss.mentionIn(failure, this.work);
			}
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(value);
		}
	}

	/**
	 * End a stage whose result nobody waits for any more. Some cannot be ended.
	 */
	private static void cancel(CompletionStage<?> stage) {
		try {
			stage.toCompletableFuture().cancel(true);
		}
		catch (UnsupportedOperationException ex) {
			// goes on until it is complete
		}
	}

}
