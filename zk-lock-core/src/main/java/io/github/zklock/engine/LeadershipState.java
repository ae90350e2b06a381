package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.LockException;
import io.github.zklock.LockNames;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.leader.LeadershipListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this process leads, and what listeners and the log get to know of it. Used
 * under the monitor of its {@link Candidacy}; only {@link #openTerm()} may be asked by
 * any thread at any time.
 */
final class LeadershipState {

	private static final Logger logger = LoggerFactory.getLogger(LeadershipState.class);

	private final String role;

	private final SessionKeeper keeper;

	private final LeadershipListeners listeners;

	private volatile @Nullable LeaderTerm term;

	private boolean suspended;

	private @Nullable LockException refusal;

	LeadershipState(String role, SessionKeeper keeper, LeadershipListeners listeners) {
		this.role = role;
		this.keeper = keeper;
		this.listeners = listeners;
	}

	/**
	 * Return the present term of leadership, which may be about to end.
	 */
	@Nullable LeaderTerm term() {
		return this.term;
	}

	/**
	 * Return the present term of leadership, if this process leads and is not leaving.
	 */
	@Nullable LeaderTerm openTerm() {
		LeaderTerm present = this.term;
		return (present != null && present.isOpen()) ? present : null;
	}

	/**
	 * This process leads.
	 * @param granted the attempt that has won the election
	 * @param leaseTerm the term of the lease in which it has
	 */
	void begin(Contender granted, int leaseTerm) {
		LeaderTerm begun = new LeaderTerm(this.keeper.loop().platform(), granted.session(), leaseTerm,
				granted.node().czxid());
		this.keeper.loop().pass("lead");
		this.term = begun;
		this.suspended = false;
		this.listeners.excuseNobody();
		this.listeners.publish((listener) -> listener.granted(this.role, begun.token()));
		EventLoop.attempt(
				() -> logger.info("Leadership of '{}' granted, token {}", LockNames.shown(this.role), begun.token()));
	}

	/**
	 * This process does not lead any more, since it wants to.
	 */
	void giveUp() {
		revoke(this.keeper.isClosed() ? Loss.CLOSED : Loss.GIVEN_UP);
	}

	/**
	 * This process does not lead any more, if it has. Whoever works as a leader is
	 * interrupted, and then the listeners are notified.
	 * @param loss why, unless it was lost before for another reason
	 */
	void revoke(Loss loss) {
		LeaderTerm ended = this.term;
		if (ended != null) {
			this.keeper.loop().pass("revoke");
			// May be done again if it fails before the listeners are notified
			ended.end(loss);
			this.keeper.changed();
			this.term = null;
			this.listeners.publish((listener) -> listener.revoked(this.role, ended.token()));
			EventLoop.attempt(() -> logRevocation(ended));
		}
	}

	private void logRevocation(LeaderTerm ended) {
		Loss loss = ended.loss();
		if (loss.isOwnWill()) {
			logger.info("Leadership of '{}' given up after {} ms, token {}", LockNames.shown(this.role),
					ended.age().toMillis(), ended.token());
		}
		else {
			logger.info("Leadership of '{}' lost after {} ms, token {}: {}", LockNames.shown(this.role),
					ended.age().toMillis(), ended.token(), loss.description());
		}
	}

	// The connection

	void suspend() {
		LeaderTerm present = this.term;
		if (present != null && !this.suspended) {
			this.suspended = true;
			this.listeners.publish((listener) -> listener.suspended(this.role, present.token()));
		}
	}

	void resume() {
		LeaderTerm present = this.term;
		if (present != null && this.suspended && present.isActive()) {
			this.suspended = false;
			this.listeners.publish((listener) -> listener.resumed(this.role, present.token()));
		}
	}

	// Refusals

	/**
	 * ZooKeeper refuses this process. Listeners are notified once for a series of
	 * refusals.
	 * @param joined whether this process wants to take part
	 */
	void refused(LockUnavailableException failure, boolean joined) {
		if (this.refusal != null) {
			logger.debug("{}", failure.getMessage());
		}
		else if (joined) {
			logger.error("{}. Trying again", failure.getMessage());
			this.refusal = failure;
			this.listeners.publish((listener) -> listener.failed(this.role, failure));
		}
	}

	boolean isRefused() {
		return this.refusal != null;
	}

	/**
	 * ZooKeeper has let this process take part, or it begins anew.
	 */
	void forgetRefusal() {
		this.refusal = null;
	}

	// Listeners

	/**
	 * Add a listener, with the events that led to the present state.
	 * @param joined whether this process wants to take part
	 */
	void addListener(LeadershipListener listener, boolean joined) {
		LeaderTerm present = this.term;
		List<Consumer<LeadershipListener>> past = new ArrayList<>();
		if (present != null) {
			past.add((added) -> added.granted(this.role, present.token()));
			if (this.suspended) {
				past.add((added) -> added.suspended(this.role, present.token()));
			}
		}
		LockException failure = this.refusal;
		if (failure != null && joined) {
			past.add((added) -> added.failed(this.role, failure));
		}
		this.listeners.add(listener, past);
	}

}
