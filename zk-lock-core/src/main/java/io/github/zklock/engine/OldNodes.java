package io.github.zklock.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.github.zklock.engine.OldSession.Item;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of sessions that have ended without having been closed. The servers may keep
 * such a session, and with it everybody who waits behind its nodes, for a whole timeout
 * after the connection is back. So its nodes are deleted in the next session, ahead of
 * everything that is created there, and that goes on across connections and sessions
 * until it is answered.
 *
 * <p>
 * Nobody believes any more that he holds a lock by one of these nodes: the lease ends
 * with its session at the latest. And no node of anybody else can be hit: names contain
 * an id that only one attempt has.
 *
 * <p>
 * Used on the event loop, except where something else is said. It is long because the
 * deletes go on across connections and sessions, with a limit, in an order, and with
 * nodes of which not even the names are known.
 */
final class OldNodes {

	static final int MOST_IN_FLIGHT = 500;

	private static final Logger logger = LoggerFactory.getLogger(OldNodes.class);

	private static final int MOST_SESSIONS = 100;

	private final Runnable whenEmpty;

	private final Set<OldSession> sessions = new LinkedHashSet<>();

	private final Deque<Item> urgent = new ArrayDeque<>();

	private final Deque<Item> others = new ArrayDeque<>();

	private final Set<Long> ids = ConcurrentHashMap.newKeySet();

	private final Deque<Long> latestIds = new ArrayDeque<>();

	private Predicate<String> wanted = (parent) -> false;

	private @Nullable Session session;

	private @Nullable Runnable whenSent;

	// Answers on an earlier connection find another number
	private int connection;

	private int inFlight;

	private int probing;

	private volatile boolean sent = true;

	private volatile boolean empty = true;

	/**
	 * Create it without nodes.
	 * @param whenEmpty run when all nodes are known to be gone
	 */
	OldNodes(Runnable whenEmpty) {
		this.whenEmpty = whenEmpty;
	}

	/**
	 * Return whether all nodes are known to be gone. For any thread.
	 */
	boolean isEmpty() {
		return this.empty;
	}

	/**
	 * Return whether all deletes are on their way, so that something may be created. For
	 * any thread.
	 */
	boolean areSent() {
		return this.sent;
	}

	/**
	 * Return whether a session is one of those whose nodes count for nothing any more.
	 * For any thread.
	 */
	boolean hasGivenUp(long sessionId) {
		return this.ids.contains(sessionId);
	}

	/**
	 * Remember the nodes of a session that is over, and whose lease is.
	 */
	void remember(Session over) {
		long id = over.number();
		if (id != 0 && this.ids.add(id)) {
			this.latestIds.add(id);
			if (this.latestIds.size() > MOST_SESSIONS) {
				this.ids.remove(this.latestIds.remove());
			}
		}
		stop();
		if (!over.nodes().isEmpty()) {
			this.sessions.add(new OldSession(over.nodes()));
		}
		update();
		this.sent = this.empty;
	}

	/**
	 * The connection is lost. What was on its way is sent again on the next one.
	 */
	void disconnected() {
		stop();
		this.sent = this.empty;
	}

	private void stop() {
		this.connection++;
		this.session = null;
		this.whenSent = null;
		this.urgent.clear();
		this.others.clear();
		this.inFlight = 0;
		this.probing = 0;
	}

	/**
	 * Delete everything in another session, which has just been connected.
	 * @param next the session
	 * @param wanted whether somebody here wants what the nodes below a path contend for
	 * @param whenSent run when all deletes are on their way
	 */
	void deleteIn(Session next, Predicate<String> wanted, Runnable whenSent) {
		stop();
		this.session = next;
		this.wanted = wanted;
		this.whenSent = whenSent;
		step(() -> List.copyOf(this.sessions).forEach(this::begin));
	}

	/**
	 * Begin with one node whose delete was never sent. If it has gone, the servers have
	 * ended the session, and all of its nodes have gone with it.
	 */
	private void begin(OldSession old) {
		old.collect();
		Item probe = old.probe(this.wanted);
		if (probe == null) {
			old.items().forEach(this::enqueue);
			return;
		}
		this.probing++;
		probe.sent();
		send(Operation.delete(probe.path()), (response) -> {
			this.probing--;
			if (response.is(Meaning.NO_NODE)) {
				this.sessions.remove(old);
				return;
			}
			logger.info("ZooKeeper has kept {} nodes of an earlier session, deleting them", old.items().size());
			deleted(probe, response);
			old.items().stream().filter((item) -> item != probe).forEach(this::enqueue);
		});
	}

	private void enqueue(Item item) {
		(this.wanted.test(item.parent()) ? this.urgent : this.others).add(item);
	}

	/**
	 * Take a step, send as much as may be on its way, and tell when that is all. Should
	 * that fail, nobody waits for it.
	 */
	private void step(Runnable action) {
		boolean done = false;
		try {
			action.run();
			sendSome();
			update();
			done = true;
		}
		finally {
			if (!done || (this.probing == 0 && this.urgent.isEmpty() && this.others.isEmpty())) {
				allSent();
			}
		}
	}

	private void sendSome() {
		// A search takes two of them
		while (this.inFlight < MOST_IN_FLIGHT - 1) {
			Item item = this.urgent.isEmpty() ? this.others.poll() : this.urgent.poll();
			if (item == null) {
				return;
			}
			if (item.isSearch()) {
				search(item);
			}
			else {
				item.sent();
				send(Operation.delete(item.path()), (response) -> deleted(item, response));
			}
		}
	}

	private void allSent() {
		Runnable task = this.whenSent;
		if (task != null) {
			this.whenSent = null;
			this.sent = true;
			task.run();
		}
	}

	private void update() {
		this.sessions.removeIf(OldSession::isDone);
		boolean before = this.empty;
		this.empty = this.sessions.isEmpty();
		if (this.empty && !before) {
			this.whenEmpty.run();
		}
	}

	private void deleted(Item item, Response<?> response) {
		switch (response.meaning()) {
			case OK, NO_NODE -> item.remove();
			case UNKNOWN, BUSY -> again(item);
			default -> {
				item.remove();
				logger.warn("Node '{}' of an earlier session cannot be deleted. It goes when that session expires",
						item.path(), response.toException(item.path()));
			}
		}
	}

	private void again(Item item) {
		Session in = this.session;
		int present = this.connection;
		if (in != null) {
			in.loop().backOff(() -> {
				if (present == this.connection && item.isLeft()) {
					step(() -> enqueue(item));
				}
			});
		}
	}

	/**
	 * Look for the nodes of a create that nobody has got an answer to: by a write that is
	 * a barrier, and a list in the same flight.
	 */
	private void search(Item item) {
		Session in = this.session;
		if (in == null) {
			return;
		}
		send(in::write, Operation.check(item.parent()), item::barrier);
		Sender<Listing> list = (operation, answer) -> in.lists().share(item.parent(), answer);
		send(list, Operation.list(item.parent(), false), (response) -> searched(item, response));
	}

	private void giveUp(Item item, Response<?> response) {
		item.remove();
		logger.warn("Nodes '{}...' of an earlier session cannot be looked for. They go when that session expires",
				item.path(), response.toException(item.parent()));
	}

	private void searched(Item item, Response<Listing> response) {
		Response<?> barrier = item.barrier();
		if (response.is(Meaning.NO_NODE)) {
			item.remove();
		}
		else if (!response.is(Meaning.OK) && !response.is(Meaning.UNKNOWN) && !response.is(Meaning.BUSY)) {
			giveUp(item, response);
		}
		else if (response.is(Meaning.OK) && barrier != null && barrier.is(Meaning.OK)) {
			item.remove();
			response.result()
				.contenders()
				.stream()
				.filter(item::isFoundIn)
				.map(item::found)
				.forEach(this.urgent::addFirst);
		}
		else {
			again(item);
		}
	}

	private void send(Operation<String> operation, Consumer<Response<String>> answer) {
		Session in = this.session;
		if (in != null) {
			send(in::write, operation, answer);
		}
	}

	private <T> void send(Sender<T> sender, Operation<T> operation, Consumer<Response<T>> answer) {
		int present = this.connection;
		this.inFlight++;
		sender.send(operation, (response) -> {
			if (present != this.connection) {
				return;
			}
			if (response.is(Meaning.DISCONNECTED)) {
				disconnected();
				return;
			}
			this.inFlight--;
			step(() -> answer.accept(response));
		});
	}

	private interface Sender<T> {

		void send(Operation<T> operation, Consumer<Response<T>> answer);

	}

}
