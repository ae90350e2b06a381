package io.github.zklock.zookeeper;

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

	private final LossActions lossActions;

	private State state = State.GOING_ON;

	/**
	 * Begin to work.
	 * @param candidacy whose leadership it is
	 * @param reign the term of leadership
	 * @param users the threads for what is done in case of loss
	 * @param worker the thread that does it, null if no single thread does
	 */
	Work(Candidacy candidacy, Reign reign, UserThreads users, @Nullable Thread worker) {
		this.candidacy = candidacy;
		this.reign = reign;
		this.worker = worker;
		this.lossActions = new LossActions(users);
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
		this.lossActions.add(action);
	}

	/**
	 * Leadership is lost, or was given up.
	 * @param resigning the thread that has given it up in time, if one has: its own work
	 * is not lost
	 */
	synchronized void lose(@Nullable Thread resigning) {
		boolean ownWill = this.worker != null && this.worker == resigning;
		if (this.state == State.GOING_ON) {
			this.state = ownWill ? State.CLOSED : State.LOST;
		}
		if (this.state == State.LOST) {
			// Perhaps again: an error may have prevented it
			this.lossActions.lost();
		}
		else {
			this.lossActions.ruleOut();
		}
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
			lost = this.state == State.LOST || (this.state == State.GOING_ON && !goesOn);
			this.state = lost ? State.LOST : State.CLOSED;
		}
		if (lost) {
			this.lossActions.lost();
		}
		else {
			this.lossActions.ruleOut();
		}
		this.candidacy.ended(this);
		return !lost;
	}

	LockLostException lost(@Nullable Throwable cause) {
		return this.reign.loss().ofRole(this.candidacy.role(), this.reign.age().toMillis(), cause);
	}

}
