package io.github.zklock.engine;

import java.util.Optional;

import io.github.zklock.LockLostException;
import io.github.zklock.leader.LeaderWork;
import org.jspecify.annotations.Nullable;

/**
 * Work that is done in one term of leadership. It ends once: it is closed, or its
 * leadership is lost.
 *
 * <p>
 * It is long because it may be closed, lost, detached and asked by several threads at the
 * same time, and one state decides what has come first.
 */
final class LeaderTask extends Chain.Link<LeaderTask> implements LeaderWork {

	private enum State {

		RUNNING, CLOSED, LOST

	}

	private final Candidacy candidacy;

	private final EventLoop loop;

	private final LeaderTerm term;

	private final @Nullable LeaderTask outer;

	private final @Nullable Thread thread;

	private final Callbacks onLost;

	private final Callbacks onLeaving;

	// Whether the thread still does it
	private volatile boolean bound;

	// An error has thrown out whoever wanted to end it
	private volatile boolean forsaken;

	// By the thread only
	private boolean run;

	private State state = State.RUNNING;

	private volatile boolean resigned;

	/**
	 * Begin a task.
	 * @param candidacy whose leadership it is
	 * @param term the term of leadership
	 * @param users the threads for callbacks
	 * @param outer the innermost task of the current thread, if it has one
	 * @param thread the thread that does it, null if no single thread does
	 */
	LeaderTask(Candidacy candidacy, LeaderTerm term, CallbackThreads users, @Nullable LeaderTask outer,
			@Nullable Thread thread) {
		this.candidacy = candidacy;
		this.loop = candidacy.loop();
		this.term = term;
		this.outer = (thread != null) ? outer : null;
		this.thread = thread;
		this.bound = thread != null;
		this.onLost = new Callbacks(users);
		this.onLeaving = new Callbacks(users);
	}

	LeaderTerm term() {
		return this.term;
	}

	/**
	 * Return the thread that does it, null if no single thread does any more.
	 */
	@Nullable Thread worker() {
		return this.bound ? this.thread : null;
	}

	/**
	 * Return the task of the thread within which this one began.
	 */
	@Nullable LeaderTask outer() {
		return this.outer;
	}

	/**
	 * Note that this is a {@link ElectionHandle#run(Runnable)}, which throws in case of a
	 * loss.
	 */
	void markAsRun() {
		this.run = true;
	}

	boolean isRun() {
		return this.run;
	}

	/**
	 * Return whether its thread may do more as a part of it.
	 */
	boolean isOpen() {
		return !this.resigned && isLeader();
	}

	@Override
	public long fencingToken() {
		if (!isLeader()) {
			throw lost(null);
		}
		return this.term.token();
	}

	@Override
	public boolean isLeader() {
		return this.term.isActive();
	}

	@Override
	public Optional<RuntimeException> loss() {
		return isLeader() ? Optional.empty() : Optional.of(lost(null));
	}

	@Override
	public boolean isLost() {
		boolean active = isLeader();
		synchronized (this) {
			return isLost(active);
		}
	}

	private boolean isLost(boolean active) {
		return this.state == State.LOST || (this.state == State.RUNNING && !active && hasLost());
	}

	@Override
	public void onLost(Runnable action) {
		this.onLost.add(action);
	}

	@Override
	public void onLeaving(Runnable action) {
		this.onLeaving.add(action);
	}

	/**
	 * This process is about to give up its leadership.
	 * @param asking the thread that wants this: its own tasks are not waited for, and not
	 * lost
	 */
	synchronized void leaving(@Nullable Thread asking) {
		this.resigned |= this.bound && this.thread == asking;
		if (!this.resigned) {
			this.onLeaving.happened();
		}
	}

	/**
	 * Do not wait for this task: it is what makes this process give up its leadership.
	 */
	synchronized void resign() {
		this.resigned = true;
	}

	boolean hasResigned() {
		return this.resigned;
	}

	/**
	 * Return whether nobody does it any more, although it has not ended.
	 */
	boolean isForsaken() {
		return this.forsaken;
	}

	/**
	 * Leadership is lost, or was given up.
	 */
	synchronized void termEnded() {
		if (this.state == State.RUNNING) {
			this.state = hasLost() ? State.LOST : State.CLOSED;
		}
		this.onLeaving.ruleOut();
		if (this.state == State.LOST) {
			// Perhaps again: an error may have prevented it
			this.onLost.happened();
		}
		else {
			this.onLost.ruleOut();
		}
	}

	/**
	 * Return whether an end of the leadership is a loss for this task: not if the task
	 * itself wants it.
	 */
	private boolean hasLost() {
		return !(this.resigned && this.term.wasGivenUp());
	}

	@Override
	public boolean yield() {
		return this.candidacy.yield(this);
	}

	@Override
	public void detach() {
		this.bound = false;
		if (this.thread != null) {
			this.candidacy.tasks().detached(this.thread);
		}
	}

	@Override
	public void close() {
		end();
	}

	/**
	 * End the task.
	 * @return false if leadership was lost before
	 */
	boolean end() {
		boolean wasBound = this.bound;
		// Only fields change here, since the stack may have no room for a call
		this.bound = false;
		try {
			return end(wasBound);
		}
		catch (Throwable ex) {
			this.forsaken = true;
			this.loop.troubled = true;
			throw ex;
		}
	}

	private boolean end(boolean wasBound) {
		boolean left = wasBound && this.thread == Thread.currentThread();
		boolean active = isLeader();
		boolean lost;
		synchronized (this) {
			lost = isLost(active);
			this.state = lost ? State.LOST : State.CLOSED;
		}
		try {
			tellEnd(lost);
		}
		finally {
			if (left) {
				this.candidacy.tasks().left(this);
			}
			else {
				detach();
			}
		}
		return !lost;
	}

	private void tellEnd(boolean lost) {
		try {
			this.onLeaving.ruleOut();
			if (lost) {
				this.onLost.happened();
			}
			else {
				this.onLost.ruleOut();
			}
		}
		finally {
			this.candidacy.ended(this);
		}
	}

	LockLostException lost(@Nullable Throwable cause) {
		return this.term.loss().ofRole(this.candidacy.role(), this.term.age().toMillis(), cause);
	}

}
