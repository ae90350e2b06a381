package io.github.zklock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.zklock.LossReason;
import io.github.zklock.SessionStatus;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a session open as soon as it is needed: has the next one opened when one has
 * ended, and kept alive while there are {@link Dependent dependents}, and passes the
 * session's events on to them.
 *
 * <p>
 * It is longer than other classes because it is the only place that replaces the current
 * session, and decides in which order the others notice that.
 */
final class SessionKeeper implements SessionListener {

	private final SessionSettings settings;

	private final EventLoop loop;

	private final Executor background;

	private final Dependents dependents;

	private final Heartbeat heartbeat;

	private final Reachability reachability;

	private final Outage outage;

	private final SessionShutdown shutdown;

	private final ChangeSignal changes;

	private final SessionHistory history;

	private final SessionOpener opener;

	private final OldNodes oldNodes = new OldNodes(this::changed);

	private volatile @Nullable Session current;

	// Written before the flag
	private volatile Failure refusal = Refusal.CLOSED;

	private volatile boolean closed;

	private volatile Consumer<Session> newcomer = (session) -> {
	};

	// by the event loop only
	private @Nullable Session introduced;

	SessionKeeper(SessionSettings settings, EventLoop loop, Executor background, Listeners listeners) {
		this.settings = settings;
		this.loop = loop;
		this.changes = new ChangeSignal(settings.platform());
		this.background = background;
		this.history = new SessionHistory(settings, listeners);
		this.opener = new SessionOpener(this);
		this.dependents = new Dependents(loop);
		this.heartbeat = new Heartbeat(this, this.dependents, settings.timeout());
		this.reachability = new Reachability(settings, loop, this::session, this.dependents, this.history);
		this.outage = this.reachability.outage();
		this.shutdown = new SessionShutdown(this, this.oldNodes, this.dependents, settings);
		loop.recoverBy(new SessionRecovery(this, this.opener, this.heartbeat, this.dependents));
	}

	/**
	 * Set what is done at each heartbeat, on the event loop.
	 */
	void atEachTick(Runnable action) {
		this.heartbeat.atEachTick(action);
	}

	/**
	 * Set what is done with each new session, on the event loop, when it is connected and
	 * its dependents have been notified.
	 */
	void onNewSession(Consumer<Session> action) {
		this.newcomer = action;
	}

	EventLoop loop() {
		return this.loop;
	}

	String place() {
		return this.settings.place();
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Return whether ZooKeeper can be reached, and what callers are told if it cannot.
	 */
	Reachability reachability() {
		return this.reachability;
	}

	/**
	 * Return what ends the session when the registry is stopped or closed.
	 */
	SessionShutdown shutdown() {
		return this.shutdown;
	}

	/**
	 * Return why no request is taken.
	 */
	Failure refusal() {
		return this.refusal;
	}

	/**
	 * Return whether a session has ended because its credentials are wrong.
	 */
	static boolean isRefusal(Loss loss) {
		return loss.reason() == LossReason.REFUSED;
	}

	/**
	 * Describe the session, without traffic.
	 */
	SessionStatus status() {
		return this.history.status(this.current);
	}

	/**
	 * Return the current session, connected or not, if there is one. Only the event loop
	 * replaces it.
	 */
	@Nullable Session session() {
		return this.current;
	}

	/**
	 * Return the session if it is connected. Otherwise have one opened.
	 */
	@Nullable Session connectedSession() {
		Session session = this.current;
		if (session != null && session.isConnected() && this.oldNodes.areSent()) {
			return session;
		}
		start();
		return null;
	}

	/**
	 * Return whether a session is an earlier one of this process, so that its nodes count
	 * for nothing, although the servers may still have them.
	 */
	boolean hasGivenUp(long sessionId) {
		return this.oldNodes.hasGivenUp(sessionId);
	}

	Duration connectTimeout() {
		return this.settings.connectTimeout();
	}

	/**
	 * Return the connected session, after waiting for it.
	 * @throws IllegalStateException if there is none in time
	 */
	Session awaitSession() throws InterruptedException {
		Duration patience = connectTimeout();
		AtomicReference<@Nullable Session> found = new AtomicReference<>();
		await(() -> {
			found.set(connectedSession());
			return this.closed || found.get() != null;
		}, patience.toNanos());
		if (this.closed) {
			throw new IllegalStateException("There is no session with %s: %s".formatted(place(), this.refusal.text()));
		}
		Session session = found.get();
		if (session == null) {
			throw new IllegalStateException(
					"%s could not be reached within %d ms".formatted(place(), patience.toMillis()));
		}
		return session;
	}

	/**
	 * Wait until a condition is true. It is checked whenever something has changed.
	 * @return false if the time is over
	 */
	boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
		return this.changes.await(condition, nanos);
	}

	/**
	 * Have all waiting threads check their conditions again.
	 */
	void changed() {
		this.changes.changed();
	}

	// Sessions

	/**
	 * Open a session unless there is one already, connected or not.
	 */
	void start() {
		this.opener.start();
	}

	boolean mayOpen() {
		return !this.closed || (!this.shutdown.isClosed() && !this.oldNodes.isEmpty());
	}

	/**
	 * Open the next session. On the event loop.
	 */
	void open() throws IOException {
		Session session = new Session(this.loop, this, this.settings);
		session.open();
		this.current = session;
		if (!mayOpen()) {
			closeInBackground(session);
		}
	}

	/**
	 * Close a session on the server, without waiting.
	 */
	void closeInBackground(Session session) {
		this.background.execute(() -> SessionShutdown.close(session));
	}

	/**
	 * A connection is needed, and there is none.
	 */
	void connectionMissing() {
		this.outage.begin();
		this.heartbeat.schedule();
	}

	@Override
	public void connected(Session session, boolean first) {
		if (session != this.current) {
			return;
		}
		this.reachability.everConnected(true);
		EventLoop.attempt(() -> this.history.connected(session, first));
		Set<String> wanted = dependents().stream()
			.map((dependent) -> dependent.path().parent())
			.collect(Collectors.toSet());
		this.oldNodes.deleteIn(session, wanted::contains, () -> usable(session));
	}

	/**
	 * The deletes of all nodes of earlier sessions are sent: now the session may be used.
	 */
	private void usable(Session session) {
		this.dependents.forEach((dependent) -> dependent.connected(session));
		changed();
		if (this.introduced != session) {
			this.introduced = session;
			EventLoop.attempt(() -> this.newcomer.accept(session));
		}
	}

	@Override
	public void disconnected(Session session) {
		if (session == this.current) {
			connectionMissing();
			this.oldNodes.disconnected();
			this.dependents.forEach(Dependent::disconnected);
			EventLoop.attempt(() -> this.history.disconnected(session));
		}
	}

	@Override
	public void answered(Session session) {
		if (session == this.current) {
			this.outage.end();
			this.opener.succeeded();
		}
	}

	@Override
	public void leaseEnded(Session session, int term) {
		this.dependents.forEach((dependent) -> dependent.leaseEnded(session, term));
	}

	@Override
	public void sessionEnded(Session session, Loss loss) {
		if (session != this.current || this.shutdown.isClosed()) {
			return;
		}
		this.oldNodes.remember(session);
		if (!mayOpen()) {
			return;
		}
		this.loop.run(() -> pause(session, loss));
		closeInBackground(session);
		this.current = null;
		this.opener.release();
		if (!isRefusal(loss)) {
			this.loop.run(this.opener::start);
		}
		this.dependents.forEach((dependent) -> dependent.sessionEnded(session, loss));
		if (!this.oldNodes.isEmpty()) {
			this.heartbeat.schedule();
		}
	}

	/**
	 * Report that a session has ended, and have the next one wait.
	 */
	private void pause(Session session, Loss loss) {
		this.opener.pause();
		if (isRefusal(loss)) {
			// Until somebody needs a connection again, nobody tries
			this.outage.stop();
		}
		EventLoop.attempt(() -> this.history.ended(session, loss, this.opener.failures()));
	}

	// Dependents

	/**
	 * Add a dependent: it uses the session, or waits for one. It is notified of the
	 * session's events, and the session is kept alive for it.
	 */
	void activate(Dependent dependent) {
		if (this.dependents.add(dependent)) {
			this.heartbeat.schedule();
		}
	}

	void deactivate(Dependent dependent) {
		if (this.dependents.remove(dependent) && this.closed) {
			changed();
		}
	}

	/**
	 * Return the dependents that are active now.
	 */
	List<Dependent> dependents() {
		return this.dependents.list();
	}

	/**
	 * Return whether the session has to be kept alive. On the event loop.
	 */
	boolean isSessionNeeded() {
		if (this.shutdown.isClosed()) {
			return false;
		}
		Session session = this.current;
		// A delete that is not answered is not noticed unless something is sent behind
		// it, nor is a session that will never be connected again unless it is looked at
		boolean deleting = !this.oldNodes.isEmpty() || (session != null && !session.deletes().isEmpty());
		return !this.dependents.isEmpty() || deleting || this.outage.isRunning();
	}

	// The end

	/**
	 * Take no more requests.
	 * @param why what those are told who make one
	 */
	void refuse(Failure why) {
		this.refusal = why;
		this.closed = true;
		changed();
	}

	/**
	 * Take requests again.
	 */
	void resume() {
		this.loop.mayRetire(false);
		Session left = this.current;
		if (left != null) {
			// An error has kept it from being forgotten
			this.loop.execute(() -> end(left));
		}
		// If the run before could not end in time
		this.outage.stop();
		this.opener.release();
		this.reachability.everConnected(false);
		this.shutdown.reset();
		this.closed = false;
		if (!this.shutdown.hasFreedNodes() && !this.oldNodes.isEmpty()) {
			start();
		}
	}

	/**
	 * End the session of a registry that has been stopped, and notify the dependents that
	 * still have something in it. On the event loop.
	 */
	void end(@Nullable Session session) {
		if (session != this.current) {
			return;
		}
		if (session != null) {
			session.end(Loss.CLOSED);
			this.oldNodes.remember(session);
			if (!this.shutdown.hasFreedNodes()) {
				closeInBackground(session);
			}
			this.current = null;
		}
		this.outage.stop();
		this.history.forgetOutage();
		// The next run begins as a new registry does
		this.reachability.everConnected(false);
		this.opener.release();
		if (session != null) {
			this.dependents.forEach((dependent) -> dependent.sessionEnded(session, Loss.CLOSED));
		}
	}

}
