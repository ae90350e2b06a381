package io.github.zklock.spring.leader;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.github.zklock.LockNames;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * The leadership that an application sees. Within a {@link LeaderTask} all answers are
 * about the term of leadership in which the task began, as they are within
 * {@link #run(Runnable)}.
 */
final class RoleLeadership implements Leadership {

	private final String role;

	private final Supplier<Leadership> delegate;

	private final Map<Thread, LeaderTask> tasks = new ConcurrentHashMap<>();

	RoleLeadership(String role, Supplier<Leadership> delegate) {
		this.role = role;
		this.delegate = delegate;
	}

	@Override
	public String role() {
		return this.role;
	}

	@Override
	public boolean isLeader() {
		LeaderTask task = task();
		return (task != null) ? task.isLeader() : this.delegate.get().isLeader();
	}

	@Override
	public long fencingToken() {
		LeaderTask task = task();
		return (task != null) ? task.fencingToken() : this.delegate.get().fencingToken();
	}

	@Override
	public Optional<Instant> since() {
		LeaderTask task = task();
		return (task != null) ? task.since() : this.delegate.get().since();
	}

	/**
	 * Not done by the delegate, which does not know that the work may be what makes this
	 * process leave.
	 */
	@Override
	public boolean run(Runnable work) {
		Objects.requireNonNull(work, "'work' must not be null");
		LeaderTask outer = task();
		if (outer != null) {
			return outer.isLeader() && run(work, outer);
		}
		LeaderWork begun = begin().orElse(null);
		if (begun == null) {
			return false;
		}
		LeaderTask task = enter(begun, OnLost.INTERRUPT);
		return run(work, task.work(), () -> end(task));
	}

	/**
	 * Run work as a part of a task. What becomes of a loss is decided there.
	 */
	private boolean run(Runnable work, LeaderTask outer) {
		if (outer.onLost() == OnLost.INTERRUPT) {
			return run(work, outer.work(), outer::isLost);
		}
		work.run();
		if (outer.isToldOfLoss()) {
			throw new LeadershipLoss(this.role).exception(outer.work(), null);
		}
		return true;
	}

	private boolean run(Runnable work, LeaderWork begun, BooleanSupplier end) {
		try {
			work.run();
		}
		catch (Throwable ex) {
			if (end.getAsBoolean()) {
				throw new LeadershipLoss(this.role).exception(begun, ex);
			}
			throw ex;
		}
		if (end.getAsBoolean()) {
			throw new LeadershipLoss(this.role).exception(begun, null);
		}
		return true;
	}

	/**
	 * The current thread has done its work.
	 * @return whether leadership was lost before
	 */
	private boolean end(LeaderTask task) {
		exit();
		task.endInterrupts();
		boolean lost = task.isLost();
		task.work().close();
		return lost;
	}

	@Override
	public Optional<LeaderWork> begin() {
		Optional<LeaderWork> begun = this.delegate.get().begin();
		LeaderTask task = task();
		if (task != null && !task.isLeader()) {
			// a later term, if any
			begun.ifPresent(LeaderWork::close);
			return Optional.empty();
		}
		return begun;
	}

	@Override
	public boolean yield() {
		Leadership current = this.delegate.get();
		LeaderTask task = task();
		if (task == null) {
			return current.yield();
		}
		// While it is leaving, the task goes on, and so must those around it
		return current.isLeader() && task.stepDown();
	}

	/**
	 * Return what the current thread does as the leader, if it does.
	 */
	@Nullable LeaderTask task() {
		return this.tasks.get(Thread.currentThread());
	}

	/**
	 * The current thread begins to do something as the leader.
	 * @param work the work as which it does so
	 * @param onLost what becomes of a loss
	 */
	LeaderTask enter(LeaderWork work, OnLost onLost) {
		LeaderTask task = new LeaderTask(work, this.delegate.get().since(), onLost, task());
		this.tasks.put(Thread.currentThread(), task);
		task.beginInterrupts();
		return task;
	}

	/**
	 * The current thread has done what it began last.
	 */
	void exit() {
		this.tasks.computeIfPresent(Thread.currentThread(), (thread, task) -> task.outer());
	}

	/**
	 * The current thread wants this process to give up its leadership: nobody waits for
	 * what it is doing.
	 */
	void resign() {
		for (LeaderTask task = task(); task != null; task = task.outer()) {
			task.resign();
		}
	}

	@Override
	public String toString() {
		return "leadership of role '%s'".formatted(LockNames.shown(this.role));
	}

}
