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

	private final LossActions lossActions;

	private State state = State.GOING_ON;

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
	 * Leadership has been given up.
	 * @param resigning the thread that has given it up: its own work is not lost
	 */
	void lose(Thread resigning) {
		if (this.state != State.GOING_ON) {
			return;
		}
		if (this.worker == resigning) {
			this.state = State.CLOSED;
			return;
		}
		this.state = State.LOST;
		this.lossActions.lost();
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
