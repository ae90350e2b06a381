package io.github.zklock.spring.leader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.zklock.LossInterrupt;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.LockAction;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * Runs something only while this process leads, and lets nobody else lead before it has
 * ended, within limits. Thread-safe.
 *
 * <p>
 * Within what it runs, the answers of the role's {@link Leadership} are about the term of
 * leadership in which it began, and calls that block and need the same role run as a part
 * of it: what becomes of a loss is decided by the outermost.
 */
public final class LeadershipExecution {

	private final Leadership leadership;

	private final OnLost onLost;

	LeadershipExecution(Leadership leadership, OnLost onLost) {
		this.leadership = leadership;
		this.onLost = onLost;
	}

	Leadership leadership() {
		return this.leadership;
	}

	OnLost onLost() {
		return this.onLost;
	}

	/**
	 * Return whether the caller is to know that leadership was lost, if it was.
	 */
	boolean isLost(LeaderWork work) {
		return this.onLost != OnLost.IGNORE && work.isLost();
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
		if (this.leadership.current().isPresent()) {
			return body.run();
		}
		LeaderWork work = this.leadership.enter().orElse(null);
		return (work != null) ? run(work, body) : otherwise.run();
	}

	private <T extends @Nullable Object, E extends Throwable> T run(LeaderWork work, LockAction<T, E> body) throws E {
		LossInterrupt interrupt = interrupt(work);
		T result;
		try {
			result = body.run();
		}
		catch (Throwable ex) {
			switch (end(work, interrupt)) {
				case INTERRUPTED -> throw LeadershipLoss.of(work, ex);
				case LOST -> LeadershipLoss.mentionIn(ex, work);
				case KEPT -> {
				}
			}
			throw ex;
		}
		if (end(work, interrupt) != Fate.KEPT) {
			throw LeadershipLoss.of(work, null);
		}
		return result;
	}

	private Fate end(LeaderWork work, @Nullable LossInterrupt interrupt) {
		boolean interrupted;
		try {
			interrupted = interrupt != null && interrupt.end();
		}
		finally {
			work.close();
		}
		return interrupted ? Fate.INTERRUPTED : (isLost(work) ? Fate.LOST : Fate.KEPT);
	}

	/**
	 * Have the current thread interrupted if leadership is lost, and that is wanted.
	 */
	private @Nullable LossInterrupt interrupt(LeaderWork work) {
		if (this.onLost != OnLost.INTERRUPT) {
			return null;
		}
		LossInterrupt interrupt = null;
		boolean added = false;
		try {
			interrupt = new LossInterrupt();
			work.onLost(interrupt);
			added = true;
			return interrupt;
		}
		finally {
			if (!added) {
				end(work, interrupt);
			}
		}
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
		LeaderWork work = this.leadership.enter().orElse(null);
		if (work == null) {
			return LeaderStage.call(otherwise).toCompletableFuture();
		}
		LossInterrupt interrupt = interrupt(work);
		boolean followed = false;
		try {
			CompletionStage<T> stage;
			boolean interrupted = false;
			try {
				stage = LeaderStage.call(body);
			}
			finally {
				interrupted = interrupt != null && interrupt.end();
			}
			work.detach();
			CompletableFuture<T> result = new LeaderStage<T>(this, work, interrupted).follow(stage);
			followed = true;
			return result;
		}
		finally {
			if (!followed) {
				// Without memory: the thread must not go on as a leader
				work.close();
			}
		}
	}

	/**
	 * What has become of leadership during a call.
	 */
	private enum Fate {

		KEPT, LOST, INTERRUPTED

	}

}
