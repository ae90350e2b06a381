package io.github.zklock.engine;

import java.util.Optional;

import io.github.zklock.LockLostException;
import io.github.zklock.leader.LeaderWork;
import org.jspecify.annotations.Nullable;

/**
 * Work of a leader. It ends once: it is closed, or its leadership is lost.
 */
final class Work implements LeaderWork {

	private enum State {

		GOING_ON, CLOSED, LOST

	}

	private final Candidacy candidacy;

	private final Reign reign;

	private final @Nullable Thread worker;

	private final Callbacks onLost;

	private final Callbacks onLeaving;

	private State state = State.GOING_ON;

	private boolean resigned;

	/**
	 * Begin to work.
	 * @param candidacy whose leadership it is
	 * @param reign the term of leadership
	 * @param users the threads for what users want done
	 * @param worker the thread that does it, null if no single thread does
	 */
	Work(Candidacy candidacy, Reign reign, UserThreads users, @Nullable Thread worker) {
		this.candidacy = candidacy;
		this.reign = reign;
		this.worker = worker;
		this.onLost = new Callbacks(users);
		this.onLeaving = new Callbacks(users);
	}

	Reign reign() {
		return this.reign;
	}

	@Nullable Thread worker() {
		return this.worker;
	}

	@Override
	public long fencingToken() {
		if (!isLeader()) {
			throw lost(null);
		}
		return this.reign.token();
	}

	@Override
	public boolean isLeader() {
		return this.reign.goesOn();
	}

	@Override
	public Optional<RuntimeException> loss() {
		return isLeader() ? Optional.empty() : Optional.of(lost(null));
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
	 * @param asking the thread that wants this: its own work is not waited for, and not
	 * lost
	 */
	synchronized void leaving(@Nullable Thread asking) {
		this.resigned |= this.worker != null && this.worker == asking;
		if (!this.resigned) {
			this.onLeaving.happened();
		}
	}

	/**
	 * Do not wait for this work: it is what makes this process give up its leadership.
	 */
	synchronized void resign() {
		this.resigned = true;
	}

	synchronized boolean hasResigned() {
		return this.resigned;
	}

	/**
	 * Leadership is lost, or was given up.
	 */
	synchronized void lose() {
		if (this.state == State.GOING_ON) {
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
	 * Return whether an end of the leadership is a loss for this work: not if the work
	 * itself wants it.
	 */
	private boolean hasLost() {
		return !(this.resigned && this.reign.wasGivenUp());
	}

	@Override
	public boolean yield() {
		Departure departure = this.candidacy.stepDown(this);
		if (departure == null) {
			return false;
		}
		departure.await();
		return true;
	}

	@Override
	public void close() {
		end();
	}

	/**
	 * End the work.
	 * @return false if leadership was lost before
	 */
	boolean end() {
		boolean goesOn = this.reign.goesOn();
		boolean lost;
		synchronized (this) {
			lost = this.state == State.LOST || (this.state == State.GOING_ON && !goesOn && hasLost());
			this.state = lost ? State.LOST : State.CLOSED;
		}
		this.onLeaving.ruleOut();
		if (lost) {
			this.onLost.happened();
		}
		else {
			this.onLost.ruleOut();
		}
		this.candidacy.ended(this);
		return !lost;
	}

	LockLostException lost(@Nullable Throwable cause) {
		return this.reign.loss().ofRole(this.candidacy.role(), this.reign.age().toMillis(), cause);
	}

}
