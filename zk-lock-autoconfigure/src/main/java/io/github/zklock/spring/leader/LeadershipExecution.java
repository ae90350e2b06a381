package io.github.zklock.spring.leader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.leader.LeaderWork;
import io.github.zklock.spring.LockAction;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * Runs something only while this process leads, and lets nobody else lead before it has
 * ended, within limits. Thread-safe.
 *
 * <p>
 * Within what it runs, the answers of the role's
 * {@link io.github.zklock.leader.Leadership} are about the term of leadership in which it
 * began, and calls that block and need the same role run as a part of it: what becomes of
 * a loss is decided by the outermost.
 */
public final class LeadershipExecution {

	private final RoleLeadership leadership;

	private final OnLost onLost;

	private final LeadershipLoss loss;

	LeadershipExecution(RoleLeadership leadership, OnLost onLost) {
		this.leadership = leadership;
		this.onLost = onLost;
		this.loss = new LeadershipLoss(leadership.role());
	}

	RoleLeadership leadership() {
		return this.leadership;
	}

	OnLost onLost() {
		return this.onLost;
	}

	LeadershipLoss loss() {
		return this.loss;
	}

	/**
	 * Run something on the current thread.
	 * @param <T> the type of the result
	 * @param <E> what it may throw
	 * @param body what to run
	 * @param otherwise what to run if this process does not lead, or is leaving
	 * @return what was returned
	 * @throws E what was thrown, with a suppressed
	 * {@link io.github.zklock.LockLostException} if leadership was lost
	 * @throws io.github.zklock.LockLostException if leadership was lost, with what was
	 * thrown as the cause if the thread was interrupted because of that
	 */
	public <T extends @Nullable Object, E extends Throwable> T run(LockAction<T, E> body, LockAction<T, E> otherwise)
			throws E {
		LeaderTask outer = this.leadership.task();
		if (outer != null) {
			return outer.isLeader() ? body.run() : otherwise.run();
		}
		LeaderWork work = this.leadership.begin().orElse(null);
		return (work != null) ? run(work, body) : otherwise.run();
	}

	private <T extends @Nullable Object, E extends Throwable> T run(LeaderWork work, LockAction<T, E> body) throws E {
		LeaderTask task = this.leadership.enter(work, this.onLost);
		T result;
		try {
			result = body.run();
		}
		catch (Throwable ex) {
			switch (end(task)) {
				case INTERRUPTED -> throw this.loss.exception(work, ex);
				case LOST -> this.loss.mentionIn(ex, work);
				case KEPT -> {
				}
			}
			throw ex;
		}
		if (end(task) != Fate.KEPT) {
			throw this.loss.exception(work, null);
		}
		return result;
	}

	private Fate end(LeaderTask task) {
		this.leadership.exit();
		boolean interrupted = task.endInterrupts();
		boolean lost = task.isToldOfLoss();
		task.work().close();
		return interrupted ? Fate.INTERRUPTED : (lost ? Fate.LOST : Fate.KEPT);
	}

	/**
	 * Run something that goes on after the current thread has returned. The part that the
	 * current thread does is treated as by {@link #run}; what goes on is cancelled if
	 * leadership is lost and the thread would have been interrupted. Never throws: the
	 * result fails instead. Cancelling the result cancels the stage.
	 * @param <T> the type of the result
	 * @param body what to run, until the stage that it returns is complete
	 * @param otherwise what to run if this process does not lead, or is leaving
	 * @return what comes of the stage; if leadership was lost, it fails as {@link #run}
	 * does
	 */
	public <T extends @Nullable Object> CompletableFuture<T> runAsync(LockAction<? extends CompletionStage<T>, ?> body,
			LockAction<? extends CompletionStage<T>, ?> otherwise) {
		LeaderWork work = this.leadership.begin().orElse(null);
		if (work == null) {
			return LeaderStage.call(otherwise).toCompletableFuture();
		}
		LeaderTask task = this.leadership.enter(work, this.onLost);
		CompletionStage<T> stage = LeaderStage.call(body);
		this.leadership.exit();
		return new LeaderStage<T>(this, task, task.endInterrupts()).follow(stage);
	}

	/**
	 * What has become of leadership during a call.
	 */
	private enum Fate {

		KEPT, LOST, INTERRUPTED

	}

}
