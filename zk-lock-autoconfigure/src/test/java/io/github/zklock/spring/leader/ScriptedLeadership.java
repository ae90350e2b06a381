package io.github.zklock.spring.leader;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLostException;
import io.github.zklock.LossReason;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;

/**
 * Leadership that is lost when a test says so, thousands of times.
 */
final class ScriptedLeadership implements Leadership {

	private final Executor lossActions;

	private final AtomicInteger open = new AtomicInteger();

	private final List<ScriptedWork> works = new CopyOnWriteArrayList<>();

	/**
	 * Create leadership.
	 * @param lossActions runs what is to be done in case of loss
	 */
	ScriptedLeadership(Executor lossActions) {
		this.lossActions = lossActions;
	}

	/**
	 * Lose the leadership in which all present work began.
	 */
	void lose() {
		this.works.forEach(ScriptedWork::lose);
	}

	int openWorks() {
		return this.open.get();
	}

	@Override
	public String role() {
		return "scripted";
	}

	@Override
	public boolean isLeader() {
		return true;
	}

	@Override
	public long fencingToken() {
		return 1;
	}

	@Override
	public Optional<Instant> since() {
		return Optional.of(Instant.EPOCH);
	}

	@Override
	public boolean run(Runnable work) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<LeaderWork> begin() {
		ScriptedWork work = new ScriptedWork();
		this.open.incrementAndGet();
		this.works.add(work);
		return Optional.of(work);
	}

	@Override
	public boolean yield() {
		throw new UnsupportedOperationException();
	}

	private final class ScriptedWork implements LeaderWork {

		private final List<Runnable> actions = new CopyOnWriteArrayList<>();

		private boolean lost;

		private boolean closed;

		synchronized void lose() {
			if (!this.closed && !this.lost) {
				this.lost = true;
				this.actions.forEach(ScriptedLeadership.this.lossActions::execute);
			}
		}

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public synchronized boolean isLeader() {
			return !this.lost;
		}

		@Override
		public synchronized Optional<RuntimeException> loss() {
			return this.lost ? Optional.of(new LockLostException(role(), "Leadership of role 'scripted' was lost",
					LossReason.SESSION_EXPIRED, null)) : Optional.empty();
		}

		@Override
		public synchronized void onLost(Runnable action) {
			if (this.lost) {
				ScriptedLeadership.this.lossActions.execute(action);
			}
			else {
				this.actions.add(action);
			}
		}

		@Override
		public void onLeaving(Runnable action) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean yield() {
			throw new UnsupportedOperationException();
		}

		@Override
		public synchronized void close() {
			if (!this.closed) {
				this.closed = true;
				ScriptedLeadership.this.works.remove(this);
				ScriptedLeadership.this.open.decrementAndGet();
			}
		}

	}

}
