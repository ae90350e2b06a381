package io.github.zklock.spring.leader;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
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

	@Override
	public boolean run(Runnable work) {
		LeaderTask task = task();
		return (task == null || task.isLeader()) && this.delegate.get().run(work);
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

	/**
	 * Return what the current thread does as the leader, if it does.
	 */
	@Nullable LeaderTask task() {
		return this.tasks.get(Thread.currentThread());
	}

	/**
	 * The current thread begins to do something as the leader.
	 * @param work the work as which it does so
	 */
	LeaderTask enter(LeaderWork work) {
		LeaderTask task = new LeaderTask(work, this.delegate.get().since(), task());
		this.tasks.put(Thread.currentThread(), task);
		return task;
	}

	/**
	 * The current thread has done what it began last.
	 */
	void exit() {
		this.tasks.computeIfPresent(Thread.currentThread(), (thread, task) -> task.outer());
	}

	/**
	 * The current thread wants this process to leave: nobody waits for what it is doing.
	 */
	void resign() {
		for (LeaderTask task = task(); task != null; task = task.outer()) {
			task.resign();
		}
	}

	@Override
	public String toString() {
		return "leadership of role '%s'".formatted(this.role);
	}

}
