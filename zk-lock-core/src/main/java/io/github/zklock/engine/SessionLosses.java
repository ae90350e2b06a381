package io.github.zklock.engine;

import java.time.Duration;

import io.github.zklock.LossReason;

/**
 * Why something that was held in a session is lost: a term of its lease has ended, or the
 * session itself. Thread-safe.
 */
final class SessionLosses {

	private final Session session;

	private final NodeStore store;

	private final String place;

	// There may be no memory for them when they are needed
	private final Loss expired = new Loss(LossReason.SESSION_EXPIRED, this::describeExpiry);

	private final Loss refused = new Loss(LossReason.REFUSED, this::describeRefusal);

	// Written before the lease ends with the session
	private volatile Loss end = this.expired;

	SessionLosses(Session session, SessionSettings settings) {
		this.session = session;
		this.store = settings.store();
		this.place = settings.place();
	}

	/**
	 * Set why the session ends. To be called before its lease ends.
	 */
	void end(Loss loss) {
		this.end = loss;
	}

	/**
	 * Return why the session has ended, if it has.
	 */
	Loss end() {
		return this.end;
	}

	/**
	 * Return why that is lost which was granted in a term of the lease that has ended.
	 */
	Loss ofTerm(int term) {
		Lease.End ended = this.session.lease().lastEnd();
		if (ended == null || ended.term() < term) {
			return this.end;
		}
		return (ended.sleptMillis() > 0) ? new Loss(LossReason.HOST_SUSPENDED, () -> describeSuspension(ended))
				: new Loss(LossReason.LEASE_ENDED, () -> describeSilence(ended));
	}

	/**
	 * ZooKeeper has ended the session.
	 * @param refused whether because of wrong credentials
	 */
	Loss byServer(boolean refused) {
		return refused ? this.refused : this.expired;
	}

	/**
	 * This process has ended the session, because it was of no use.
	 * @param why what was wrong with it
	 * @param nanos for how long
	 */
	Loss givenUp(String why, long nanos) {
		return new Loss(LossReason.LEASE_ENDED, () -> "session %s with %s %s for %d ms, so it was given up"
			.formatted(this.session.id(), this.place, why, nanos / 1_000_000));
	}

	private String describeSilence(Lease.End ended) {
		Duration timeout = this.session.timeout();
		return "no answer from the %s leader (%s) for %d ms (half of the session timeout is %d ms)"
			.formatted(this.store.name(), this.store.address(), ended.silentMillis(), timeout.toMillis() / 2);
	}

	private static String describeSuspension(Lease.End ended) {
		return "the wall clock advanced by %d ms while this host stood still: it was suspended, or its clock was set forward"
			.formatted(ended.sleptMillis());
	}

	private String describeExpiry() {
		return "%s has ended session %s".formatted(this.place, this.session.id());
	}

	private String describeRefusal() {
		return "%s has ended session %s: %s".formatted(this.place, this.session.id(), Refusal.CREDENTIALS.text());
	}

}
