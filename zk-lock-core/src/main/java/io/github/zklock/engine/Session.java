package io.github.zklock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.zklock.LossReason;
import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.engine.NodeSession.Reply;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session, from its opening to its end. There is no way back from the end: the next
 * session is another object, and late answers to this one change nothing but this one.
 *
 * <p>
 * Requests may be sent by any thread. Answers and events are worked on by the
 * {@link EventLoop}, in the order in which the store delivers them.
 */
final class Session implements NodeEvents {

	private static final Logger logger = LoggerFactory.getLogger(Session.class);

	private final EventLoop loop;

	private final Observer observer;

	private final NodeStore store;

	private final String place;

	private final LongSupplier wallClock;

	private final Lease lease;

	private final OwnNodes nodes;

	private final Map<String, Set<PathObserver>> paths = new ConcurrentHashMap<>();

	private final Map<String, CompletableFuture<Void>> deletes = new ConcurrentHashMap<>();

	private final Strikes strikes = new Strikes(System::nanoTime);

	private final NodeLists lists = new NodeLists(this, this.strikes);

	private final NodeWatches watches = new NodeWatches(this, this.strikes);

	private final Blockers blockers = new Blockers(this.watches);

	private final Unanswered unanswered = new Unanswered(System::nanoTime);

	// by the event loop only
	private final List<Runnable> parked = new ArrayList<>();

	// What no connection has cost yet. By the event loop only
	private final List<Runnable> unsent = new ArrayList<>();

	// by the event loop only
	private final Queue<Consumer<Runnable>> suspects = new ArrayDeque<>();

	private boolean suspectUnderWay;

	// Whether a heartbeat was answered on this connection
	private boolean proven;

	private long unprovenSince;

	private int connection;

	private long connectedSince;

	private volatile Duration timeout;

	private volatile boolean connected;

	private volatile boolean dead;

	private volatile boolean begun;

	@SuppressWarnings("NullAway.Init") // by open()
	private volatile NodeSession nodeSession;

	// There may be no memory for it when it is needed
	private final Loss expired = new Loss(LossReason.SESSION_EXPIRED, this::describeExpiry);

	private final Loss refused = new Loss(LossReason.REFUSED, this::describeRefusal);

	// Written before the lease ends with it
	private volatile Loss end = this.expired;

	/**
	 * Create a session that has not begun.
	 */
	Session(EventLoop loop, Observer observer, SessionSettings settings) {
		this.loop = loop;
		this.observer = observer;
		this.store = settings.store();
		this.place = settings.place();
		this.timeout = settings.timeout();
		this.wallClock = settings.wallClock();
		this.lease = new Lease(System::nanoTime, this.wallClock, this::tellLeaseEnded);
		this.nodes = settings.newOwnNodes();
	}

	/**
	 * Open the session of the store, on the event loop, so that its first event is worked
	 * on afterwards.
	 */
	void open() throws IOException {
		this.nodeSession = this.store.open(this);
	}

	NodeSession nodeSession() {
		return this.nodeSession;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Return what attempts have in this session.
	 */
	OwnNodes nodes() {
		return this.nodes;
	}

	EventLoop loop() {
		return this.loop;
	}

	NodeLists lists() {
		return this.lists;
	}

	NodeWatches watches() {
		return this.watches;
	}

	/**
	 * Return what readers of this session wait for.
	 */
	Blockers blockers() {
		return this.blockers;
	}

	/**
	 * Return whether the nodes are in this process.
	 */
	boolean isLocal() {
		return this.store.isLocal();
	}

	boolean isConnected() {
		return this.connected;
	}

	/**
	 * Return whether a server has ever accepted this session.
	 */
	boolean hasBegun() {
		return this.begun;
	}

	/**
	 * Return whether this session has begun, and is not known to be over.
	 */
	boolean isOpen() {
		return this.begun && !this.dead;
	}

	/**
	 * Return whether this session is over, for ever.
	 */
	boolean isDead() {
		return this.dead;
	}

	/**
	 * Return the number of the present connection, or of the last one. By the event loop
	 * only.
	 */
	int connection() {
		return this.connection;
	}

	/**
	 * Return for how many nanoseconds ZooKeeper has owed us an answer.
	 */
	long oldestUnanswered() {
		return this.unanswered.oldestAge();
	}

	/**
	 * Return the shortest timeout that was ever negotiated; before, the wanted one.
	 */
	Duration timeout() {
		return this.timeout;
	}

	// Events

	@Override
	public void connected(Supplier<Duration> timeout) {
		heard(() -> connected(timeout.get()));
	}

	@Override
	public void disconnected() {
		heard(this::connectionLost);
	}

	@Override
	public void ended(boolean refused) {
		heard(() -> die(refused ? this.refused : this.expired));
	}

	@Override
	public void changed(String path, boolean deleted) {
		heard(() -> {
			this.watches.changed(path, deleted);
			this.paths.getOrDefault(path, Set.of()).forEach(PathObserver::childrenChanged);
		});
	}

	@Override
	public void execute(Runnable task) {
		deliver("execute", () -> this.loop.execute(task));
	}

	private void heard(Runnable event) {
		deliver("event", () -> this.loop.executeHere(() -> {
			if (!this.dead) {
				event.run();
			}
		}));
	}

	/**
	 * Have something worked on that nobody will say again.
	 */
	private void deliver(String what, Runnable delivery) {
		try {
			this.loop.pass(what);
			delivery.run();
		}
		catch (Throwable ex) {
			this.loop.failed = true;
			throw ex;
		}
	}

	private void connected(Duration negotiated) {
		if (!this.begun || negotiated.compareTo(this.timeout) < 0) {
			this.timeout = negotiated;
		}
		if (!isLocal()) {
			this.lease.timeout(this.timeout);
		}
		this.connected = true;
		this.connection++;
		boolean first = !this.begun;
		if (first) {
			this.unprovenSince = System.nanoTime();
		}
		this.begun = true;
		this.connectedSince = System.nanoTime();
		heartbeat();
		runAll(this.unsent);
		this.observer.connected(this, first);
	}

	/**
	 * A heartbeat was answered. What was lost with the last connection is sent again now
	 * that this one is known to work, and last, one by one, what may have cost it.
	 */
	private void proven() {
		if (!this.proven) {
			this.proven = true;
			runAll(this.parked);
			this.watches.reconnected();
			sendSuspect();
		}
	}

	private void runAll(List<Runnable> tasks) {
		List<Runnable> waiting = List.copyOf(tasks);
		tasks.clear();
		waiting.forEach(this.loop::run);
	}

	private void unproven() {
		if (this.proven) {
			this.proven = false;
			this.unprovenSince = System.nanoTime();
		}
	}

	private void connectionLost() {
		unproven();
		this.suspectUnderWay = false;
		this.watches.disconnected();
		if (this.connected) {
			this.connected = false;
			this.deletes.values().forEach(Session::complete);
			this.observer.disconnected(this);
		}
	}

	/**
	 * End this session. What it held is lost.
	 * @param loss why
	 */
	void die(Loss loss) {
		if (!this.dead) {
			this.end = loss;
			this.dead = true;
			this.connected = false;
			this.loop.run(this.lease::kill);
			this.parked.clear();
			this.unsent.clear();
			this.suspects.clear();
			this.loop.run(this::finishDeletes);
			this.observer.died(this, loss);
		}
	}

	/**
	 * The registry is being closed: nobody is to believe any more that this session
	 * lives.
	 */
	void close() {
		this.end = Loss.CLOSED;
		this.lease.kill();
	}

	/**
	 * End this session without a word to anybody: its event loop is over.
	 */
	void finish() {
		this.dead = true;
		this.connected = false;
		close();
		finishDeletes();
	}

	private void finishDeletes() {
		this.deletes.values().forEach(Session::complete);
		this.deletes.clear();
	}

	private static void complete(CompletableFuture<Void> done) {
		done.complete(null);
	}

	// Heartbeat

	/**
	 * Ask the leader for a sign of life, even if it still owes us others: a slow answer
	 * must not delay the next one.
	 */
	void heartbeat() {
		if (!this.connected) {
			return;
		}
		long sent = System.nanoTime();
		long sentWall = this.wallClock.getAsLong();
		dispatch(Operation.sync("/"), (code, path) -> this.loop.executeHere(() -> {
			note(code, true, sent, sentWall);
			noteConnection(code);
			if (code.is(Meaning.OK) && !this.dead) {
				this.observer.answered(this);
				proven();
			}
		}));
	}

	/**
	 * End a session that cannot come back: no callback for a whole timeout means that
	 * ZooKeeper's event thread is gone, or that an answer has got lost, and after one and
	 * a half without a usable connection a new session is the better one. The server may
	 * refuse this one for ever, and if it keeps it, {@link OldNodes} frees what it has.
	 */
	void checkLiveness() {
		if (isLocal()) {
			return;
		}
		this.lease.check();
		long now = System.nanoTime();
		long nanos = this.timeout.toNanos();
		long unansweredFor = Math.min(oldestUnanswered(), now - this.connectedSince);
		if (this.connected && unansweredFor > nanos) {
			giveUp("has not called back", unansweredFor);
		}
		else if (this.begun && !this.proven && now - this.unprovenSince > nanos * 3 / 2) {
			giveUp("has had no usable connection", now - this.unprovenSince);
		}
	}

	private void giveUp(String why, long nanos) {
		die(new Loss(LossReason.LEASE_ENDED, () -> "session %s with %s %s for %d ms, so it was given up".formatted(id(),
				this.place, why, nanos / 1_000_000)));
	}

	/**
	 * Have it told that a term of the lease has ended, by whoever has noticed.
	 */
	private void tellLeaseEnded(int term) {
		try {
			this.loop.execute(() -> this.observer.leaseEnded(this, term));
		}
		catch (Throwable ex) {
			this.loop.troubled = true;
			throw ex;
		}
	}

	// Why something is lost

	/**
	 * Return why that is lost which was granted in a term of the lease that has ended.
	 */
	Loss loss(int term) {
		Lease.End ended = this.lease.lastEnd();
		if (ended == null || ended.term() < term) {
			return this.end;
		}
		return (ended.sleptMillis() > 0) ? new Loss(LossReason.HOST_SUSPENDED, () -> describeSuspension(ended))
				: new Loss(LossReason.LEASE_ENDED, () -> describeSilence(ended));
	}

	private String describeSilence(Lease.End ended) {
		return "no answer from the %s leader (%s) for %d ms (half of the session timeout is %d ms)"
			.formatted(this.store.name(), this.store.address(), ended.silentMillis(), this.timeout.toMillis() / 2);
	}

	private static String describeSuspension(Lease.End ended) {
		return "the wall clock has gone on by %d ms while this host stood still: it was suspended, or its clock was set forward"
			.formatted(ended.sleptMillis());
	}

	private String describeExpiry() {
		return "%s has ended session %s".formatted(this.place, id());
	}

	private String describeRefusal() {
		return "%s has ended session %s: %s".formatted(this.place, id(), Refusal.CREDENTIALS.text());
	}

	/**
	 * Return why this session is over, if it is.
	 */
	Loss end() {
		return this.end;
	}

	/**
	 * Return the number by which the servers know this session.
	 */
	String id() {
		return "0x" + Long.toHexString(number());
	}

	/**
	 * Return the number by which the servers know this session, 0 if there is none.
	 */
	long number() {
		NodeSession present = this.nodeSession;
		return (present != null) ? present.id() : 0;
	}

	private void note(ReturnCode code, boolean leaderBound, long sent, long sentWall) {
		if (code.is(Meaning.EXPIRED) || code.is(Meaning.AUTH_FAILED)) {
			die(code.is(Meaning.AUTH_FAILED) ? this.refused : this.expired);
		}
		else if (leaderBound && code.comesFromLeader()) {
			this.lease.acknowledge(sent, sentWall);
		}
	}

	// Operations

	/**
	 * Send a write or a sync once, whatever becomes of it.
	 */
	<T> void write(Operation<T> operation, Consumer<Response<T>> answer) {
		send(operation, true, answer);
	}

	/**
	 * Send a read once, whatever becomes of it.
	 */
	<T> void read(Operation<T> operation, Consumer<Response<T>> answer) {
		send(operation, false, answer);
	}

	/**
	 * Create a node for which there is {@link OwnNodes#reserve room}, once, whatever
	 * becomes of it.
	 */
	void create(String prefix, byte[] data, Consumer<Response<Created>> answer) {
		write(Operation.create(prefix, data), (response) -> {
			this.nodes.answered(prefix, response);
			answer.accept(response);
		});
	}

	/**
	 * Send a read of all that a node contains, once, whatever becomes of it. That may be
	 * more than the client accepts, and cost the connection.
	 */
	<T> void readAll(String path, Operation<T> operation, Consumer<Response<T>> answer) {
		send(operation, false, (response) -> {
			if (!response.is(Meaning.DISCONNECTED)) {
				this.strikes.clear(path);
			}
			else if (response.isOldestLost()) {
				this.strikes.add(path);
			}
			else {
				this.strikes.undecided(path);
			}
			answer.accept(response);
		});
	}

	private <T> void send(Operation<T> operation, boolean leaderBound, Consumer<Response<T>> answer) {
		long sent = System.nanoTime();
		long sentWall = this.wallClock.getAsLong();
		dispatch(operation, (code, result) -> this.loop.executeHere(() -> {
			note(code, leaderBound, sent, sentWall);
			boolean oldestLost = noteConnection(code);
			if (!this.dead) {
				answer.accept(new Response<>(code, result, oldestLost));
			}
		}));
	}

	/**
	 * Send an operation and keep it in mind until it is answered.
	 */
	private <T> void dispatch(Operation<T> operation, Reply<T> reply) {
		this.loop.pass("send");
		Unanswered.Ticket ticket = this.unanswered.sent();
		try {
			operation.send(this.nodeSession, (code, result) -> {
				this.unanswered.answered(ticket);
				deliver("answer", () -> reply.receive(code, result));
			});
			this.loop.pass("sent");
		}
		catch (Throwable ex) {
			ticket.unsent = true;
			throw ex;
		}
	}

	/**
	 * Look whether an answer says that the connection is lost. ZooKeeper answers in
	 * order, so the first one that was lost with a connection that had worked is what the
	 * client was reading.
	 * @return whether this is that first one
	 */
	private boolean noteConnection(ReturnCode code) {
		boolean lost = code.is(Meaning.DISCONNECTED) && this.proven;
		if (lost) {
			unproven();
		}
		return lost;
	}

	/**
	 * List the children of a node until ZooKeeper answers, nobody wants the answer any
	 * more, or the session ends.
	 */
	void insistOnList(BooleanSupplier wanted, String path, Consumer<Response<Listing>> answer) {
		if (this.dead || !wanted.getAsBoolean()) {
			return;
		}
		this.lists.share(path, (response) -> {
			switch (response.meaning()) {
				case DISCONNECTED, UNKNOWN, BUSY -> later(response, () -> insistOnList(wanted, path, answer));
				default -> answer.accept(response);
			}
		});
	}

	/**
	 * Read what a node contains until ZooKeeper answers, nobody wants the answer any
	 * more, or the session ends. Data that may have cost the connection are left out.
	 */
	void insistOnContent(BooleanSupplier wanted, String path, Consumer<Response<Content>> answer) {
		if (this.dead || !wanted.getAsBoolean()) {
			return;
		}
		if (this.strikes.count(path) > 0) {
			insistOnRead(wanted, Operation.exists(path, false), answer);
			return;
		}
		readAll(path, Operation.read(path, false), (response) -> {
			switch (response.meaning()) {
				case DISCONNECTED, UNKNOWN, BUSY -> later(response, () -> insistOnContent(wanted, path, answer));
				default -> answer.accept(response);
			}
		});
	}

	/**
	 * Send a write again and again until ZooKeeper answers it, nobody wants the answer
	 * any more, or the session ends.
	 */
	<T> void insistOnWrite(BooleanSupplier wanted, Operation<T> operation, Consumer<Response<T>> answer) {
		insist(wanted, operation, true, answer);
	}

	/**
	 * Send a read again and again until ZooKeeper answers it, nobody wants the answer any
	 * more, or the session ends.
	 */
	<T> void insistOnRead(BooleanSupplier wanted, Operation<T> operation, Consumer<Response<T>> answer) {
		insist(wanted, operation, false, answer);
	}

	private <T> void insist(BooleanSupplier wanted, Operation<T> operation, boolean leaderBound,
			Consumer<Response<T>> answer) {
		if (this.dead || !wanted.getAsBoolean()) {
			return;
		}
		Runnable again = () -> insist(wanted, operation, leaderBound, answer);
		send(operation, leaderBound, (response) -> {
			switch (response.meaning()) {
				case DISCONNECTED, UNKNOWN, BUSY -> later(response, again);
				default -> answer.accept(response);
			}
		});
	}

	/**
	 * Run a task again that has got no useful answer: when the connection is back if it
	 * was lost, otherwise after a pause. By the event loop only.
	 */
	void later(Response<?> response, Runnable task) {
		if (!response.is(Meaning.DISCONNECTED)) {
			this.loop.backOff(task);
		}
		else if (!this.dead) {
			this.parked.add(task);
		}
	}

	/**
	 * Send something that may cost the connection: when nothing else is under way that
	 * was sent before, and nothing else of that sort.
	 * @param sender sends it, and runs what it is given when that is answered
	 */
	void sendAlone(Consumer<Runnable> sender) {
		this.loop.execute(() -> {
			if (!this.dead) {
				this.suspects.add(sender);
				sendSuspect();
			}
		});
	}

	private void sendSuspect() {
		if (this.dead || !this.proven || this.suspectUnderWay || this.suspects.isEmpty()) {
			return;
		}
		this.suspectUnderWay = true;
		write(Operation.sync("/"), (response) -> {
			Consumer<Runnable> next = response.is(Meaning.OK) ? this.suspects.poll() : null;
			this.suspectUnderWay = next != null;
			if (next != null) {
				next.accept(this::suspectAnswered);
			}
			else if (!response.is(Meaning.DISCONNECTED)) {
				this.loop.backOff(this::sendSuspect);
			}
		});
	}

	private void suspectAnswered() {
		this.suspectUnderWay = false;
		sendSuspect();
	}

	/**
	 * Delete a node of this session, for certain: if the connection is lost, again when
	 * it is back, and if ZooKeeper refuses, again after a while, until the session ends.
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> delete(String path) {
		return delete(path, () -> {
		});
	}

	/**
	 * Delete a node of this session, for certain.
	 * @param whenGone run when the node is known to be gone
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> delete(String path, Runnable whenGone) {
		this.nodes.known(path);
		CompletableFuture<Void> done = this.deletes.computeIfAbsent(path, (key) -> new CompletableFuture<>());
		whenConnected(() -> insistOnDelete(path, done, whenGone));
		if (this.dead) {
			this.deletes.remove(path);
		}
		if (this.dead || !this.connected) {
			done.complete(null);
		}
		return done;
	}

	/**
	 * Run a task now, or when the connection is back. While there is none, nothing that
	 * is to be sent until it is answered is given to the client: it would not tell
	 * whether it was ever sent.
	 */
	private void whenConnected(Runnable task) {
		if (this.connected) {
			task.run();
			return;
		}
		this.loop.execute(() -> {
			if (this.connected) {
				task.run();
			}
			else if (!this.dead) {
				this.unsent.add(task);
			}
		});
	}

	private void insistOnDelete(String path, CompletableFuture<Void> done, Runnable whenGone) {
		this.nodes.deleting(path);
		insistOnWrite(() -> true, Operation.delete(path), (response) -> {
			boolean gone = response.is(Meaning.OK) || response.is(Meaning.NO_NODE);
			if (gone) {
				// before anybody is told who may need the room
				this.nodes.gone(path);
			}
			this.deletes.remove(path);
			done.complete(null);
			if (gone) {
				whenGone.run();
			}
			else {
				logger.error(
						"Node '{}' cannot be deleted, so its lock is not free. Trying again until the session ends",
						path, response.toException(path));
				this.loop.schedule(() -> delete(path, whenGone), this.timeout.toNanos());
			}
		});
	}

	/**
	 * Return whether nodes are still to be deleted.
	 */
	boolean hasDeletes() {
		return !this.deletes.isEmpty();
	}

	// Watches: this object is the only watcher, however many are interested in a path

	void observe(String path, PathObserver pathObserver) {
		this.paths.compute(path, (key, present) -> {
			Set<PathObserver> observers = (present != null) ? present : ConcurrentHashMap.newKeySet();
			observers.add(pathObserver);
			return observers;
		});
	}

	void forget(String path, PathObserver pathObserver) {
		this.paths.computeIfPresent(path, (key, observers) -> {
			observers.remove(pathObserver);
			return observers.isEmpty() ? null : observers;
		});
	}

	/**
	 * Hears of a session's fate, on the event loop.
	 */
	interface Observer {

		void connected(Session session, boolean first);

		void disconnected(Session session);

		/**
		 * The leader has answered a heartbeat.
		 */
		void answered(Session session);

		void leaseEnded(Session session, int term);

		void died(Session session, Loss loss);

	}

	/**
	 * Hears of changes to the children of a node, on the event loop.
	 */
	interface PathObserver {

		void childrenChanged();

	}

}
