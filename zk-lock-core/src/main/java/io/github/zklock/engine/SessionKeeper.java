package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.zklock.LossReason;
import io.github.zklock.SessionStatus;
import io.github.zklock.UnavailableReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a session open from the first need on: opens a new one when one has ended, and
 * has the leader confirm it while a lock is held or awaited.
 */
final class SessionKeeper implements Session.Observer, Outage.Observer {

	private static final Logger logger = LoggerFactory.getLogger(SessionKeeper.class);

	private static final int HEARTBEATS_PER_TIMEOUT = 8;

	private static final int CLOSE_TIMEOUT_MILLIS = 2_000;

	private final SessionSettings settings;

	private final EventLoop loop;

	private final Executor background;

	private final Set<Dependent> active = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean opening = new AtomicBoolean();

	private final AtomicBoolean ticking = new AtomicBoolean();

	// A tick of an earlier chain does nothing
	private final AtomicInteger tickChain = new AtomicInteger();

	private final AtomicLong changes = new AtomicLong();

	private final Outage outage;

	private final SessionHistory history;

	private final BackOff backOff = new BackOff();

	// Written before a next session may be opened
	private volatile long openNotBefore = System.nanoTime();

	private final OldNodes oldNodes = new OldNodes(this::changed);

	private volatile @Nullable Session current;

	private volatile boolean everConnected;

	// Written before the flag
	private volatile Failure refusal = Refusal.CLOSED;

	private volatile boolean closed;

	private volatile Consumer<Session> newcomer = (session) -> {
	};

	// by the event loop only
	private @Nullable Session introduced;

	private volatile Runnable housekeeping = () -> {
	};

	// No session is opened any more, not even to delete old nodes
	private volatile boolean over;

	// The latest session has probably been closed by the server, too
	private volatile boolean freed;

	SessionKeeper(SessionSettings settings, EventLoop loop, Executor background, Listeners listeners) {
		this.settings = settings;
		this.loop = loop;
		this.background = background;
		this.history = new SessionHistory(settings, listeners);
		this.outage = new Outage(loop, Durations.toNanos(settings.connectTimeout()), this);
		loop.recoverBy(this::recover);
	}

	/**
	 * Have something done at each heartbeat, on the event loop.
	 */
	void atEachTick(Runnable action) {
		this.housekeeping = action;
	}

	/**
	 * Have something done with each session, on the event loop, when it is connected
	 * first and those who have waited for it have been told.
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
	 * Return whether there is no connection although there was one.
	 */
	boolean hasLostConnection() {
		Session session = this.current;
		return this.everConnected && (session == null || !session.isConnected());
	}

	/**
	 * Return whether there has ever been a connection.
	 */
	boolean hasEverConnected() {
		return this.everConnected;
	}

	/**
	 * Return whether the connection has been gone for longer than anybody who does not
	 * wait for ever should wait for it.
	 */
	boolean isUnreachable() {
		return this.outage.isTooLong();
	}

	/**
	 * Return whether ZooKeeper says nothing: there is no connection, or something has not
	 * been answered in time.
	 */
	boolean isSilent(long answerNanos) {
		Session session = this.current;
		return session == null || !session.isConnected() || session.oldestUnanswered() > answerNanos;
	}

	/**
	 * Say why ZooKeeper cannot be asked.
	 */
	Failure notConnected() {
		String gone = "it has been out of reach for %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(this.outage.age()));
		String limit = ", which is longer than 'connectTimeout' (zk.lock.session.connect-timeout), %d ms"
			.formatted(connectTimeout().toMillis());
		return new Failure(UnavailableReason.NOT_CONNECTED, gone + (isUnreachable() ? limit : "")
				+ ". Check that ZooKeeper runs, and its address (property 'zk.lock.connect-string')");
	}

	/**
	 * Say why a request has got no answer in time.
	 */
	Failure unanswered(Request.Wait wait) {
		if (this.outage.isRunning()) {
			return notConnected();
		}
		String limit = wait.isPatient() ? "which is how long the caller waits ('maxWait', zk.lock.max-wait)"
				: "and has no more time for that ('answerTimeout', zk.lock.session.answer-timeout)";
		return new Failure(UnavailableReason.NO_ANSWER,
				"it has not answered within %d ms, %s".formatted(wait.waited().toMillis(), limit));
	}

	/**
	 * Say why no request is taken.
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
	 * Return the session if it is connected. Otherwise see to it that there will be one.
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
	 * Return whether this process has given up a session, so that its nodes count for
	 * nothing, although the servers may still have them.
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
	 * Wait until something is so.
	 * @return false if it was not so in time
	 */
	boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
		long deadline = System.nanoTime() + nanos;
		while (true) {
			// The condition may take monitors, so it is not asked under this one
			long seen = this.changes.get();
			if (condition.getAsBoolean()) {
				return true;
			}
			if (!awaitChange(seen, deadline)) {
				return condition.getAsBoolean();
			}
		}
	}

	private boolean awaitChange(long seen, long deadline) throws InterruptedException {
		synchronized (this.changes) {
			long remaining = deadline - System.nanoTime();
			while (this.changes.get() == seen && remaining > 0) {
				this.changes.wait(1 + remaining / 1_000_000);
				remaining = deadline - System.nanoTime();
			}
			return remaining > 0;
		}
	}

	/**
	 * Something has changed that somebody may wait for.
	 */
	void changed() {
		synchronized (this.changes) {
			this.changes.incrementAndGet();
			this.changes.notifyAll();
		}
	}

	// Sessions

	/**
	 * See to it that there is a session, connected or not.
	 */
	void start() {
		if (mayOpen() && this.opening.compareAndSet(false, true)) {
			boolean done = false;
			try {
				this.outage.begin();
				scheduleTick();
				openSoon();
				done = true;
			}
			finally {
				if (!done) {
					this.opening.set(false);
				}
			}
		}
	}

	private void openSoon() {
		long pause = this.openNotBefore - System.nanoTime();
		if (pause > 0) {
			this.loop.schedule(this::open, pause);
		}
		else {
			this.loop.execute(this::open);
		}
	}

	private boolean mayOpen() {
		return !this.closed || (!this.over && !this.oldNodes.isEmpty());
	}

	/**
	 * Make a handle, and try again later if that fails, in whatever way: there may be no
	 * memory, or no thread for it.
	 */
	private void open() {
		if (!mayOpen() || this.current != null) {
			return;
		}
		try {
			this.loop.pass("open");
			Session session = new Session(this.loop, this, this.settings);
			session.open();
			this.current = session;
			if (!mayOpen()) {
				this.background.execute(() -> close(session));
			}
		}
		catch (Throwable ex) {
			openLater();
			EventLoop.attempt(() -> logger.warn("No session with {} can be opened, trying again", place(), ex));
		}
	}

	private void openLater() {
		boolean done = false;
		try {
			this.loop.backOff(this::open);
			done = true;
		}
		finally {
			if (!done) {
				this.opening.set(false);
			}
		}
	}

	@Override
	public void connected(Session session, boolean first) {
		if (session != this.current) {
			return;
		}
		this.everConnected = true;
		EventLoop.attempt(() -> this.history.connected(session, first));
		Set<String> wanted = this.active.stream()
			.map((dependent) -> dependent.path().parent())
			.collect(Collectors.toSet());
		this.oldNodes.deleteIn(session, wanted::contains, () -> usable(session));
	}

	/**
	 * Everything that an earlier session has left is being deleted: now others may use
	 * the session.
	 */
	private void usable(Session session) {
		forEachActive((dependent) -> dependent.connected(session));
		changed();
		if (this.introduced != session) {
			this.introduced = session;
			EventLoop.attempt(() -> this.newcomer.accept(session));
		}
	}

	@Override
	public void disconnected(Session session) {
		if (session == this.current) {
			this.outage.begin();
			scheduleTick();
			this.oldNodes.disconnected();
			forEachActive(Dependent::disconnected);
			EventLoop.attempt(() -> this.history.disconnected(session));
		}
	}

	@Override
	public void tooLong(boolean first) {
		if (first) {
			forEachActive(Dependent::unreachable);
		}
		EventLoop.attempt(() -> this.history.unreachable(this.outage.age()));
	}

	@Override
	public void over(long nanos, boolean told) {
		EventLoop.attempt(() -> this.history.back(nanos, told));
	}

	@Override
	public void answered(Session session) {
		if (session == this.current) {
			this.outage.end();
			this.backOff.reset();
		}
	}

	@Override
	public void leaseEnded(Session session, int term) {
		forEachActive((dependent) -> dependent.leaseEnded(session, term));
	}

	private void forEachActive(Consumer<Dependent> action) {
		this.active.forEach((dependent) -> this.loop.run(() -> action.accept(dependent)));
	}

	@Override
	public void died(Session session, Loss loss) {
		if (session != this.current || this.over) {
			return;
		}
		this.oldNodes.remember(session);
		if (!mayOpen()) {
			return;
		}
		this.loop.run(() -> backOff(session, loss));
		this.background.execute(() -> close(session));
		this.current = null;
		this.opening.set(false);
		if (!isRefusal(loss)) {
			this.loop.run(this::start);
		}
		forEachActive((dependent) -> dependent.died(session, loss));
		if (!this.oldNodes.isEmpty()) {
			scheduleTick();
		}
	}

	/**
	 * Say that a session is over, and until when there may be no other.
	 */
	private void backOff(Session session, Loss loss) {
		this.openNotBefore = System.nanoTime() + this.backOff.next();
		if (isRefusal(loss)) {
			// Until somebody needs a connection again, nobody tries
			this.outage.stop();
		}
		EventLoop.attempt(() -> this.history.ended(session, loss, this.backOff.failures()));
	}

	private static void close(Session session) {
		try {
			session.nodeSession().close(CLOSE_TIMEOUT_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	// Heartbeat

	/**
	 * Somebody has something to do, and wants to hear of the session's fate.
	 */
	void activate(Dependent dependent) {
		if (this.active.add(dependent)) {
			scheduleTick();
		}
	}

	private void scheduleTick() {
		if (this.ticking.compareAndSet(false, true)) {
			boolean done = false;
			try {
				int chain = this.tickChain.get();
				this.loop.schedule(() -> tick(chain), tickNanos());
				done = true;
			}
			finally {
				if (!done) {
					this.ticking.set(false);
				}
			}
		}
	}

	void deactivate(Dependent dependent) {
		if (this.active.remove(dependent) && this.closed) {
			changed();
		}
	}

	private long tickNanos() {
		Session session = this.current;
		Duration timeout = (session != null) ? session.timeout() : this.settings.timeout();
		return timeout.toNanos() / HEARTBEATS_PER_TIMEOUT;
	}

	/**
	 * Have the session confirmed.
	 */
	private void tick(int chain) {
		if (chain != this.tickChain.get()) {
			return;
		}
		this.ticking.set(false);
		if (this.over) {
			return;
		}
		Session session = this.current;
		// A delete that is not answered is not noticed unless something is sent behind
		// it, nor is a session that will never be connected again unless it is looked at
		boolean deleting = !this.oldNodes.isEmpty() || (session != null && session.hasDeletes());
		if (this.active.isEmpty() && !deleting && !this.outage.isRunning()) {
			return;
		}
		scheduleTick();
		EventLoop.attempt(this.housekeeping);
		if (session == null) {
			start();
		}
		else {
			session.checkLiveness();
			session.heartbeat();
			checkWhenLeaseEnds(session);
			if (session.isConnected()) {
				forEachActive(Dependent::tick);
			}
		}
	}

	/**
	 * Bring everything into order that an error may have left half done. What has failed
	 * on the event loop may have been anything, so that nothing is known for certain of
	 * the session: it is given up, and the next one begins with nothing.
	 */
	private void recover(boolean taskFailed) {
		Session session = this.current;
		if (this.over) {
			abandon(session);
		}
		else if (session != null && session.isDead()) {
			died(session, session.end());
		}
		else if (session != null && taskFailed) {
			session.die(Loss.INTERNAL_ERROR);
		}
		if (taskFailed) {
			callAgain();
		}
		forEachActive(Dependent::repair);
		if (!this.active.isEmpty()) {
			connectedSession();
			scheduleTick();
		}
	}

	/**
	 * What was to be run later may have got lost.
	 */
	private void callAgain() {
		if (this.current == null) {
			this.opening.set(false);
		}
		this.tickChain.incrementAndGet();
		this.ticking.set(false);
	}

	private void checkWhenLeaseEnds(Session session) {
		long remaining = session.lease().remaining();
		if (remaining > 0 && remaining < tickNanos()) {
			this.loop.schedule(session.lease()::check, remaining);
		}
	}

	// The end

	List<Dependent> dependents() {
		return List.copyOf(this.active);
	}

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
			this.loop.execute(() -> abandon(left));
		}
		this.opening.set(false);
		this.everConnected = false;
		this.over = false;
		this.closed = false;
		if (!this.freed && !this.oldNodes.isEmpty()) {
			start();
		}
	}

	/**
	 * End the session. If it has nodes and no connection, or an earlier one has left
	 * nodes, wait a little for that.
	 * @return whether an interrupt has come meanwhile
	 */
	boolean close() {
		boolean interrupted = false;
		try {
			awaitDeletes();
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		this.over = true;
		this.freed = false;
		Session session = this.current;
		if (session == null) {
			return interrupted;
		}
		boolean connected = session.isConnected();
		session.close();
		// The client would forget to tell the server if it found an interrupt
		interrupted |= Thread.interrupted();
		close(session);
		boolean disturbed = Thread.interrupted();
		this.freed = connected && !disturbed;
		return disturbed || interrupted;
	}

	private void awaitDeletes() throws InterruptedException {
		if (!await(this::canDelete, TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MILLIS))) {
			Session session = this.current;
			logger.warn(
					"{} is not connected: the nodes of this process are deleted when their session expires,"
							+ " after up to {} ms",
					place(), ((session != null) ? session.timeout() : this.settings.timeout()).toMillis());
		}
	}

	/**
	 * Return whether the nodes of earlier sessions are gone, and those of the present one
	 * can be deleted.
	 */
	private boolean canDelete() {
		Session session = this.current;
		return this.oldNodes.isEmpty() && (session == null || session.isConnected() || !session.hasDeletes());
	}

	/**
	 * Forget the session that has been closed, and wait for that. Whoever still believes
	 * to have something of it hears that it is lost. Nodes that could not be deleted are
	 * the first matter of the next session.
	 * @param last done then, with what errors may have left
	 */
	void abandonSession(Runnable last) {
		// Should an error have skipped that
		this.over = true;
		CompletableFuture<Void> done = new CompletableFuture<>();
		try {
			this.loop.execute(() -> {
				try {
					this.loop.run(() -> abandon(this.current));
					last.run();
					forEachActive(Dependent::repair);
				}
				finally {
					done.complete(null);
				}
			});
		}
		catch (Throwable ex) {
			this.loop.failed = true;
			throw ex;
		}
		this.loop.mayRetire(true);
		Durations.awaitQuietly(done, TimeUnit.MILLISECONDS.toNanos(CLOSE_TIMEOUT_MILLIS));
	}

	private void abandon(@Nullable Session session) {
		if (session != this.current) {
			return;
		}
		if (session != null) {
			session.die(Loss.CLOSED);
			this.oldNodes.remember(session);
			if (!this.freed) {
				this.background.execute(() -> close(session));
			}
			this.current = null;
		}
		this.outage.stop();
		this.history.forgetOutage();
		// The next run begins as a new registry does
		this.everConnected = false;
		this.opening.set(false);
		if (session != null) {
			forEachActive((dependent) -> dependent.died(session, Loss.CLOSED));
		}
	}

	/**
	 * Let nobody wait for an answer that will not come any more.
	 */
	void finish() {
		Session session = this.current;
		if (session != null) {
			session.finish();
		}
	}

}
