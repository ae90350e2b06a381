package io.github.zklock.zookeeper;

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

	private final boolean interruptible;

	private final Thread beginner = Thread.currentThread();

	private final LossActions lossActions;

	private State state = State.GOING_ON;

	private boolean interrupted;

	/**
	 * Begin to work.
	 * @param candidacy whose leadership it is
	 * @param reign the term of leadership
	 * @param users the threads for what is done in case of loss
	 * @param interruptible whether it is done by the current thread, which is interrupted
	 * in case of loss
	 */
	Work(Candidacy candidacy, Reign reign, UserThreads users, boolean interruptible) {
		this.candidacy = candidacy;
		this.reign = reign;
		this.interruptible = interruptible;
		this.lossActions = new LossActions(users);
	}

	Reign reign() {
		return this.reign;
	}

	/**
	 * Return the thread that has begun the work.
	 */
	Thread beginner() {
		return this.beginner;
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
	public void onLost(Runnable action) {
		this.lossActions.add(action);
	}

	/**
	 * Leadership is lost, or was given up by whoever does the work.
	 */
	synchronized void lose() {
		if (this.state != State.GOING_ON) {
			return;
		}
		boolean ownWill = this.beginner == Thread.currentThread();
		this.state = ownWill ? State.CLOSED : State.LOST;
		if (this.interruptible && !ownWill) {
			this.interrupted = true;
			this.beginner.interrupt();
		}
		this.lossActions.lost();
	}

	@Override
	public void close() {
		end();
	}

	/**
	 * End the work. From now on nobody is interrupted for it.
	 * @return false if leadership was lost before
	 */
	boolean end() {
		boolean goesOn = this.reign.goesOn();
		boolean lost;
		synchronized (this) {
			lost = this.state == State.LOST || (this.state == State.GOING_ON && !goesOn);
			this.state = lost ? State.LOST : State.CLOSED;
			if (this.interrupted) {
				this.interrupted = false;
				Thread.interrupted();
			}
		}
		this.lossActions.ruleOut();
		this.candidacy.ended(this);
		return !lost;
	}

	LockLostException lost(@Nullable Throwable cause) {
		String role = this.candidacy.role();
		return new LockLostException(role,
				"Leadership of role '%s' was lost: another one may lead since".formatted(role), cause);
	}

}
