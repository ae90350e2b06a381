package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Has the leader confirm the session eight times in a session timeout, as long as the
 * session is needed, and looks after the session and its dependents at the same time.
 * Each tick schedules the next one, so there is at most one chain of them.
 */
final class Heartbeat {

	private static final int TICKS_PER_TIMEOUT = 8;

	private final SessionKeeper keeper;

	private final EventLoop loop;

	private final Dependents dependents;

	private final Duration wantedTimeout;

	private final AtomicBoolean scheduled = new AtomicBoolean();

	// A tick of an earlier chain does nothing
	private final AtomicInteger chain = new AtomicInteger();

	private volatile Runnable housekeeping = () -> {
	};

	/**
	 * Create a heartbeat that does not run.
	 * @param wantedTimeout the session timeout as long as there is no session
	 */
	Heartbeat(SessionKeeper keeper, Dependents dependents, Duration wantedTimeout) {
		this.keeper = keeper;
		this.loop = keeper.loop();
		this.dependents = dependents;
		this.wantedTimeout = wantedTimeout;
	}

	/**
	 * Set what is done at each tick, on the event loop.
	 */
	void atEachTick(Runnable action) {
		this.housekeeping = action;
	}

	/**
	 * Schedule the next tick, unless it is scheduled already. By any thread.
	 */
	void schedule() {
		if (this.scheduled.compareAndSet(false, true)) {
			boolean done = false;
			try {
				int current = this.chain.get();
				this.loop.schedule(() -> tick(current), nanos(this.keeper.session()));
				done = true;
			}
			finally {
				if (!done) {
					this.scheduled.set(false);
				}
			}
		}
	}

	private long nanos(@Nullable Session session) {
		Duration timeout = (session != null) ? session.timeout() : this.wantedTimeout;
		return timeout.toNanos() / TICKS_PER_TIMEOUT;
	}

	/**
	 * Forget the scheduled tick: an error may have lost it.
	 */
	void forget() {
		this.chain.incrementAndGet();
		this.scheduled.set(false);
	}

	private void tick(int ofChain) {
		if (ofChain != this.chain.get()) {
			return;
		}
		this.scheduled.set(false);
		if (!this.keeper.isSessionNeeded()) {
			return;
		}
		schedule();
		EventLoop.attempt(this.housekeeping);
		Session session = this.keeper.session();
		if (session == null) {
			this.keeper.start();
		}
		else {
			session.liveness().check();
			session.liveness().heartbeat();
			checkWhenLeaseEnds(session);
			if (session.isConnected()) {
				this.dependents.forEach(Dependent::tick);
			}
		}
	}

	private void checkWhenLeaseEnds(Session session) {
		long remaining = session.lease().remaining();
		if (remaining > 0 && remaining < nanos(session)) {
			this.loop.schedule(session.lease()::check, remaining);
		}
	}

}
