package io.github.zklock.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.zklock.UnavailableReason;
import org.jspecify.annotations.Nullable;

/**
 * Whether ZooKeeper can be reached, and what callers are told if it cannot. May be asked
 * by any thread.
 */
final class Reachability implements Outage.Observer {

	private final SessionSettings settings;

	private final Supplier<@Nullable Session> session;

	private final Dependents dependents;

	private final SessionHistory history;

	private final Outage outage;

	private volatile boolean everConnected;

	/**
	 * Create it for a registry that has not been connected.
	 * @param loop measures outages
	 * @param session gives the current session, if there is one
	 * @param dependents notified when an outage lasts too long
	 * @param history notified of outages
	 */
	Reachability(SessionSettings settings, EventLoop loop, Supplier<@Nullable Session> session, Dependents dependents,
			SessionHistory history) {
		this.settings = settings;
		this.session = session;
		this.dependents = dependents;
		this.history = history;
		this.outage = new Outage(loop, Durations.toNanos(settings.connectTimeout()), this);
	}

	Outage outage() {
		return this.outage;
	}

	/**
	 * Set whether there has ever been a connection.
	 */
	void everConnected(boolean connected) {
		this.everConnected = connected;
	}

	/**
	 * Return whether there has ever been a connection.
	 */
	boolean hasEverConnected() {
		return this.everConnected;
	}

	/**
	 * Return whether there is no connection although there was one.
	 */
	boolean hasLostConnection() {
		Session present = this.session.get();
		return this.everConnected && (present == null || !present.isConnected());
	}

	/**
	 * Return whether the connection has been gone for longer than {@code connectTimeout},
	 * so that only callers without a limit wait for it.
	 */
	boolean isUnreachable() {
		return this.outage.isTooLong();
	}

	/**
	 * Return whether ZooKeeper does not answer: there is no connection, or a request has
	 * not been answered in time.
	 */
	boolean isSilent(long answerNanos) {
		Session present = this.session.get();
		return present == null || !present.isConnected() || present.oldestUnanswered() > answerNanos;
	}

	/**
	 * Return why no request can be sent to ZooKeeper.
	 */
	Failure notConnected() {
		String gone = "it has been out of reach for %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(this.outage.age()));
		String limit = ", which is longer than 'connectTimeout' (zk.lock.session.connect-timeout), %d ms"
			.formatted(this.settings.connectTimeout().toMillis());
		return new Failure(UnavailableReason.NOT_CONNECTED, gone + (isUnreachable() ? limit : "")
				+ ". Check that ZooKeeper runs, and its address (property 'zk.lock.connect-string')");
	}

	/**
	 * Return why a request was not answered in time.
	 */
	Failure unanswered(Deadline deadline) {
		if (this.outage.isRunning()) {
			return notConnected();
		}
		String limit = deadline.mayQueue() ? "which is how long the caller waits ('maxWait', zk.lock.max-wait)"
				: "and has no more time for that ('answerTimeout', zk.lock.session.answer-timeout)";
		return new Failure(UnavailableReason.NO_ANSWER,
				"it has not answered within %d ms, %s".formatted(deadline.waited().toMillis(), limit));
	}

	@Override
	public void tooLong(boolean first) {
		if (first) {
			this.dependents.forEach(Dependent::unreachable);
		}
		EventLoop.attempt(() -> this.history.unreachable(this.outage.age()));
	}

	@Override
	public void over(long nanos, boolean told) {
		EventLoop.attempt(() -> this.history.back(nanos, told));
	}

}
