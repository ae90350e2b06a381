package io.github.zklock.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Begins and ends the tasks of a leader, and knows which thread does which. Thread-safe.
 */
final class LeaderTasks {

	private final Candidacy candidacy;

	private final LeadershipState leadership;

	private final CallbackThreads users;

	// The innermost task of each thread
	private final Map<Thread, LeaderTask> ofThreads = new ConcurrentHashMap<>();

	LeaderTasks(Candidacy candidacy, LeadershipState leadership, CallbackThreads users) {
		this.candidacy = candidacy;
		this.leadership = leadership;
		this.users = users;
	}

	/**
	 * Begin a task that no single thread does.
	 * @return null if this process does not lead, or is leaving, or if the current thread
	 * does something in another term of leadership
	 */
	@Nullable LeaderTask begin() {
		return begin(null);
	}

	/**
	 * Begin a task that the current thread does.
	 * @return null if {@link #begin()} would return that
	 */
	@Nullable LeaderTask enter() {
		Thread thread = Thread.currentThread();
		LeaderTask task = begin(thread);
		if (task != null) {
			boolean entered = false;
			try {
				this.ofThreads.put(thread, task);
				entered = true;
			}
			finally {
				if (!entered) {
					task.end();
				}
			}
		}
		return task;
	}

	private @Nullable LeaderTask begin(@Nullable Thread thread) {
		LeaderTask outer = ofCurrentThread();
		synchronized (this.candidacy) {
			LeaderTerm present = this.leadership.openTerm();
			if (present == null || (outer != null && outer.term() != present)) {
				return null;
			}
			LeaderTask task = new LeaderTask(this.candidacy, present, this.users, outer, thread);
			present.begin(task);
			return task;
		}
	}

	/**
	 * Return what the current thread does, in the term of leadership in which it has
	 * begun.
	 */
	@Nullable LeaderTask ofCurrentThread() {
		return innermost(this.ofThreads.get(Thread.currentThread()));
	}

	/**
	 * Return what the current thread does, if it may do more as a part of that.
	 */
	@Nullable LeaderTask openOfCurrentThread() {
		LeaderTask task = ofCurrentThread();
		return (task != null && task.isOpen()) ? task : null;
	}

	/**
	 * Return the innermost task that its thread still does. Others may have ended it.
	 */
	private static @Nullable LeaderTask innermost(@Nullable LeaderTask task) {
		LeaderTask present = task;
		while (present != null && present.worker() == null) {
			present = present.outer();
		}
		return present;
	}

	/**
	 * Forget what a thread does not do any more.
	 */
	void detached(Thread thread) {
		this.ofThreads.computeIfPresent(thread, (key, task) -> innermost(task));
	}

	/**
	 * Forget what the current thread has ended, and whatever it began within that and has
	 * forgotten to close: the thread may be used again.
	 */
	void left(LeaderTask ended) {
		this.ofThreads.computeIfPresent(Thread.currentThread(),
				(thread, task) -> innermost(isWithin(ended, task) ? ended.outer() : task));
	}

	/**
	 * Return whether a task began, directly or not, within another one.
	 */
	private static boolean isWithin(LeaderTask outer, LeaderTask task) {
		LeaderTask present = task;
		while (present != null && present != outer) {
			present = present.outer();
		}
		return present != null;
	}

}
