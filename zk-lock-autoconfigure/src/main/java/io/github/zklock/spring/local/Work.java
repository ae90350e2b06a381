package io.github.zklock.spring.local;

import java.util.Optional;

import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import io.github.zklock.LossReason;
import io.github.zklock.leader.LeaderWork;
import org.jspecify.annotations.Nullable;

/**
 * Work of a leader. It ends once: it is closed, or its leadership is lost. What changes
 * is changed under the monitor of its {@link LocalElection}.
 */
final class Work implements LeaderWork {

	private enum State {

		GOING_ON, CLOSED, LOST

	}

	private final LocalElection election;

	private final Reign reign;

	private final @Nullable Thread worker;

	private final LossActions onLost;

	private final LossActions onLeaving;

	private State state = State.GOING_ON;

	private boolean resigned;

	/**
	 * Begin to work.
	 * @param election whose leadership it is
	 * @param reign the term of leadership
	 * @param users the threads for what is done in case of loss
	 * @param worker the thread that does it, null if no single thread does
	 */
	Work(LocalElection election, Reign reign, UserThreads users, @Nullable Thread worker) {
		this.election = election;
		this.reign = reign;
		this.worker = worker;
		this.onLost = new LossActions(users);
		this.onLeaving = new LossActions(users);
	}

	Reign reign() {
		return this.reign;
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

	@Override
	public boolean yield() {
		return this.election.stepDown(this);
	}

	@Override
	public void close() {
		this.election.end(this);
	}

	LockLostException lost(@Nullable Throwable cause) {
		String role = this.election.role();
		return new LockLostException(role,
				"Leadership of role '%s' was lost: this process has left the election, and its wait for running work (zk.lock.leader.hand-over-wait) was over"
					.formatted(LockNames.shown(role)),
				LossReason.GIVEN_UP, cause);
	}

	// Under the monitor of the election

	/**
	 * This process is about to give up its leadership.
	 * @param asking the thread that wants this: its own work is not waited for, and not
	 * lost
	 */
	void leaving(Thread asking) {
		this.resigned |= this.worker == asking;
		if (!this.resigned) {
			this.onLeaving.lost();
		}
	}

	/**
	 * Do not wait for this work: it is what makes this process give up its leadership.
	 */
	void resign() {
		this.resigned = true;
	}

	boolean hasResigned() {
		return this.resigned;
	}

	/**
	 * Leadership has been given up.
	 */
	void lose() {
		if (this.state == State.GOING_ON) {
			this.state = this.resigned ? State.CLOSED : State.LOST;
			if (!this.resigned) {
				this.onLost.lost();
			}
		}
	}

	/**
	 * The work has ended.
	 * @return false if leadership was lost before
	 */
	boolean markEnded() {
		if (this.state == State.LOST) {
			return false;
		}
		this.state = State.CLOSED;
		return true;
	}

}
