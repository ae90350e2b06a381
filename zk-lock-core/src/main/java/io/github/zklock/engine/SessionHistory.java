package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

import io.github.zklock.LockListener;
import io.github.zklock.SessionStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has become of the sessions of a registry, for people: in the log, for listeners,
 * and for whoever asks. Told by the event loop; may be asked by any thread.
 */
final class SessionHistory {

	private static final Logger logger = LoggerFactory.getLogger(SessionHistory.class);

	private final SessionSettings settings;

	private final Listeners listeners;

	private final AtomicLong opened = new AtomicLong();

	private final AtomicLong expired = new AtomicLong();

	private volatile Instant since;

	// by the event loop only
	private boolean connectionLost;

	SessionHistory(SessionSettings settings, Listeners listeners) {
		this.settings = settings;
		this.listeners = listeners;
		this.since = now();
	}

	private Instant now() {
		return Instant.ofEpochMilli(this.settings.platform().currentTimeMillis());
	}

	/**
	 * Describe the present.
	 * @param session the current session, if there is one
	 */
	SessionStatus status(@Nullable Session session) {
		String server = this.settings.store().server();
		if (session == null || !session.isOpen()) {
			return new SessionStatus(false, false, 0, Duration.ZERO, Duration.ZERO, server, this.opened.get(),
					this.expired.get(), this.since);
		}
		return new SessionStatus(session.isConnected(), true, session.number(), session.timeout(),
				Duration.ofNanos(session.lease().remaining()), server, this.opened.get(), this.expired.get(),
				this.since);
	}

	private void tell(BiConsumer<LockListener, SessionStatus> event, @Nullable Session session) {
		EventLoop.attempt(() -> {
			SessionStatus status = status(session);
			this.listeners.tell((listener) -> event.accept(listener, status));
		});
	}

	// Sessions

	/**
	 * A session has a connection.
	 * @param first whether it is its first one
	 */
	void connected(Session session, boolean first) {
		this.since = now();
		if (!first) {
			tell(LockListener::sessionResumed, session);
			return;
		}
		this.opened.incrementAndGet();
		if (!this.settings.store().isLocal()) {
			logOpening(session);
		}
		tell(LockListener::sessionOpened, session);
	}

	private void logOpening(Session session) {
		logger.info("Session {} with {} is open, its timeout is {} ms", session.id(), this.settings.place(),
				session.timeout().toMillis());
		warnIfTooShort(session.timeout());
	}

	private void warnIfTooShort(Duration negotiated) {
		if (negotiated.compareTo(this.settings.timeout()) != 0) {
			logger.warn(
					"{} has granted a session timeout of {} ms instead of {} ms"
							+ " ('sessionTimeout', zk.lock.session.timeout)",
					this.settings.place(), negotiated.toMillis(), this.settings.timeout().toMillis());
		}
		Duration least = this.settings.serverTick().multipliedBy(4);
		if (negotiated.compareTo(least) < 0) {
			logger
				.warn("The session timeout of {} ms ('sessionTimeout', zk.lock.session.timeout) is too short for a server"
						+ " tick of {} ms ('serverTick', zk.lock.session.server-tick): a lost lock may be noticed only"
						+ " after ZooKeeper has granted it to another process. Make it at least {} ms",
						negotiated.toMillis(), this.settings.serverTick().toMillis(), least.toMillis());
		}
	}

	void disconnected(Session session) {
		this.since = now();
		this.connectionLost = true;
		logger.debug("Session {} has lost its connection to {}", session.id(), this.settings.place());
		tell(LockListener::sessionSuspended, session);
	}

	/**
	 * A session is over.
	 * @param loss why
	 * @param failures how many in a row have ended before they were of use, with this one
	 */
	void ended(Session session, Loss loss, int failures) {
		this.since = now();
		if (failures > 2) {
			logger.debug("Session {} is over: {}", session.id(), loss.description());
		}
		else {
			logger.warn("Session {} is over: {}. {}", session.id(), loss.description(), consequence(loss, failures));
		}
		if (session.hasBegun()) {
			this.expired.incrementAndGet();
			tell(LockListener::sessionExpired, null);
		}
	}

	private String consequence(Loss loss, int failures) {
		if (SessionKeeper.isRefusal(loss)) {
			return "The next one is opened with the next request";
		}
		if (failures == 2) {
			return "Sessions with %s end before they are of use: from now on there are pauses, and no more messages like this"
				.formatted(this.settings.place());
		}
		return "A new one is opened";
	}

	// Outages

	/**
	 * Nobody needs a connection any more.
	 */
	void forgetOutage() {
		this.connectionLost = false;
	}

	/**
	 * There has been no connection for longer than anybody who does not wait for ever
	 * should wait for it.
	 */
	void unreachable(long nanos) {
		Set<String> hosts = this.settings.store().unknownHosts();
		String unknown = hosts.isEmpty() ? "" : " (unknown hosts: %s)".formatted(String.join(", ", hosts));
		logger.warn("{} has been out of reach for {} ms{}: requests for locks fail, and locks and roles that this"
				+ " process has are lost after half of the session timeout ({} ms). Retrying. Check that ZooKeeper"
				+ " runs, and its address (property 'zk.lock.connect-string')", this.settings.place(),
				TimeUnit.NANOSECONDS.toMillis(nanos), unknown, this.settings.timeout().toMillis());
	}

	/**
	 * ZooKeeper has answered after an outage.
	 * @param nanos how long it has lasted
	 * @param warned whether it was unreachable
	 */
	void back(long nanos, boolean warned) {
		if (this.connectionLost || warned) {
			this.connectionLost = false;
			logger.info("{} is back after {} ms", this.settings.place(), TimeUnit.NANOSECONDS.toMillis(nanos));
		}
	}

}
