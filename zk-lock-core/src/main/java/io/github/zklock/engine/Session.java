package io.github.zklock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.zklock.engine.NodeSession.Created;

/**
 * One session, from its opening to its end. The end is final: the next session is another
 * object, and late answers to this session change nothing in the next one.
 *
 * <p>
 * Requests may be sent by any thread. Answers and events are processed by the
 * {@link EventLoop}, in the order in which the store delivers them.
 *
 * <p>
 * This class holds the state of the session, and decides in which order its parts notice
 * an event. It is longer than other classes because it is also the way to those parts,
 * each of which does one thing: send, send again, delete, watch, check the connection.
 */
final class Session implements NodeEvents {

	private final EventLoop loop;

	private final SessionListener listener;

	private final NodeStore store;

	private final OperationSender sender;

	private final Lease lease;

	private final OwnNodes nodes;

	private final SessionLosses losses;

	private final SessionLiveness liveness;

	private final Retries retries;

	private final PendingDeletes deletes;

	private final ChildWatches childWatches = new ChildWatches();

	private final SuspectRequests suspects;

	private final NodeLists lists;

	private final NodeWatches watches;

	private final Blockers blockers;

	private int connection;

	private volatile Duration timeout;

	private volatile boolean connected;

	private volatile boolean ended;

	private volatile boolean begun;

	@SuppressWarnings("NullAway.Init") // by open()
	private volatile NodeSession nodeSession;

	/**
	 * Create a session that has not begun.
	 */
	Session(EventLoop loop, SessionListener listener, SessionSettings settings) {
		this.loop = loop;
		this.listener = listener;
		this.store = settings.store();
		this.timeout = settings.timeout();
		this.nodes = settings.newOwnNodes();
		Platform platform = settings.platform();
		Strikes strikes = new Strikes(platform::nanoTime);
		this.sender = new OperationSender(this, platform, strikes);
		this.lease = new Lease(platform::nanoTime, platform::currentTimeMillis, this::tellLeaseEnded);
		this.losses = new SessionLosses(this, settings);
		this.liveness = new SessionLiveness(this, platform);
		this.retries = new Retries(this, strikes);
		this.deletes = new PendingDeletes(this);
		this.suspects = new SuspectRequests(this);
		this.lists = new NodeLists(this, strikes);
		this.watches = new NodeWatches(this, strikes);
		this.blockers = new Blockers(this.watches);
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
	 * Return the nodes that this session has in ZooKeeper, or may have.
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
	 * Return the nodes for which readers of this session wait.
	 */
	Blockers blockers() {
		return this.blockers;
	}

	/**
	 * Return the sender of requests that are sent again until they are answered.
	 */
	Retries retries() {
		return this.retries;
	}

	ChildWatches childWatches() {
		return this.childWatches;
	}

	OperationSender sender() {
		return this.sender;
	}

	/**
	 * Return the deletes of nodes of this session.
	 */
	PendingDeletes deletes() {
		return this.deletes;
	}

	/**
	 * Return the sender of requests that may cost the connection.
	 */
	SuspectRequests suspects() {
		return this.suspects;
	}

	SessionLiveness liveness() {
		return this.liveness;
	}

	SessionLosses losses() {
		return this.losses;
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
	 * Return whether this session has begun, and is not known to have ended.
	 */
	boolean isOpen() {
		return this.begun && !this.ended;
	}

	/**
	 * Return whether this session has ended. There is no way back.
	 */
	boolean hasEnded() {
		return this.ended;
	}

	/**
	 * Return the number of the present connection, or of the last one. By the event loop
	 * only.
	 */
	int connection() {
		return this.connection;
	}

	/**
	 * Return the age of the oldest request without an answer, in nanoseconds; 0 if all
	 * are answered.
	 */
	long oldestUnanswered() {
		return this.sender.oldestUnanswered();
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
		heard(() -> end(this.losses.byServer(refused)));
	}

	@Override
	public void changed(String path, boolean deleted) {
		heard(() -> {
			this.watches.changed(path, deleted);
			this.childWatches.changed(path);
		});
	}

	@Override
	public void execute(Runnable task) {
		deliver("execute", () -> this.loop.execute(task));
	}

	private void heard(Runnable event) {
		deliver("event", () -> this.loop.executeHere(() -> {
			if (!this.ended) {
				event.run();
			}
		}));
	}

	/**
	 * Deliver something to the event loop that will not be delivered again: if that
	 * fails, the loop has to recover.
	 */
	void deliver(String what, Runnable delivery) {
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
		this.liveness.connected(first);
		this.begun = true;
		this.liveness.heartbeat();
		this.deletes.connected();
		this.listener.connected(this, first);
	}

	/**
	 * A heartbeat was answered, so the connection works. If that is new, requests that
	 * were lost with the last connection are sent again, and at last, one by one, those
	 * that may have cost it.
	 */
	void heartbeatAnswered() {
		this.listener.answered(this);
		if (this.liveness.prove()) {
			this.retries.reconnected();
			this.watches.reconnected();
			this.suspects.sendNext();
		}
	}

	private void connectionLost() {
		this.liveness.disprove();
		this.suspects.disconnected();
		this.watches.disconnected();
		if (this.connected) {
			this.connected = false;
			this.deletes.disconnected();
			this.listener.disconnected(this);
		}
	}

	/**
	 * End this session, for ever, and notify everybody. What was held in it is lost. By
	 * the event loop only.
	 * @param loss why
	 */
	void end(Loss loss) {
		if (!this.ended) {
			this.losses.end(loss);
			this.ended = true;
			this.connected = false;
			notifyEnd();
		}
	}

	/**
	 * Notify everybody that this session has ended. Again, if it was done before: an
	 * error may have prevented it.
	 */
	void notifyEnd() {
		this.loop.pass("end session");
		this.loop.run(this.lease::end);
		this.retries.clear();
		this.deletes.clearUnsent();
		this.suspects.clear();
		this.loop.run(this.deletes::clear);
		this.listener.sessionEnded(this, this.losses.end());
	}

	/**
	 * End the lease because the registry is being closed: from now on nothing that was
	 * granted in this session counts.
	 */
	void endLease() {
		this.losses.end(Loss.CLOSED);
		this.lease.end();
	}

	/**
	 * Forget this session without notifying anybody: its event loop is closed.
	 */
	void abandon() {
		this.ended = true;
		this.connected = false;
		endLease();
		this.deletes.clear();
	}

	/**
	 * Notify the listener that a term of the lease has ended. By the thread that has
	 * noticed it.
	 */
	private void tellLeaseEnded(int term) {
		try {
			this.loop.execute(() -> this.listener.leaseEnded(this, term));
		}
		catch (Throwable ex) {
			this.loop.troubled = true;
			throw ex;
		}
	}

	/**
	 * Return why that is lost which was granted in a term of the lease that has ended.
	 */
	Loss loss(int term) {
		return this.losses.ofTerm(term);
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

	// Operations

	/**
	 * Send a write or a sync once, whatever becomes of it.
	 */
	<T> void write(Operation<T> operation, Consumer<Response<T>> answer) {
		this.sender.send(operation, true, answer);
	}

	/**
	 * Send a read once, whatever becomes of it.
	 */
	<T> void read(Operation<T> operation, Consumer<Response<T>> answer) {
		this.sender.send(operation, false, answer);
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
	 * Delete a node of this session, for certain.
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> delete(String path) {
		return delete(path, () -> {
		});
	}

	/**
	 * Delete a node of this session, for certain.
	 * @param whenDeleted run when the node is known to be gone
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> delete(String path, Runnable whenDeleted) {
		return this.deletes.delete(path, whenDeleted);
	}

}
