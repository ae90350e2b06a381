package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.github.zklock.LockNames;
import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.NodeSession.Content;
import io.github.zklock.engine.NodeSession.Created;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock: at most one node, in one session, found again by a name that
 * no other attempt has.
 *
 * <p>
 * Everything happens under the monitor of its owner. It tells the owner when the lock is
 * granted, when its node is gone, and when ZooKeeper refuses it, and never hears of it
 * again once it was {@link #release() released}.
 */
final class Contender implements Session.PathObserver, NodeWatches.Observer {

	/*
	 * CREATING --created--> LISTING --lowest--> GRANTED, with CONFIRMING before it if the
	 * lease is over; LISTING --not lowest--> QUEUED --predecessor gone--> GRANTED or
	 * LISTING. A create whose answer was lost is RECOVERING: the node is looked for
	 * behind a barrier. A queue whose numbers run out is DRAINING.
	 */
	private enum Phase {

		CREATING, RECOVERING, LISTING, QUEUED, CONFIRMING, DRAINING, GRANTED, ENDED

	}

	private static final int PARENT_ATTEMPTS = 20;

	private static final int PARENT_ATTEMPTS_WITHOUT_PAUSE = 5;

	private final ContenderSettings settings;

	private final Session session;

	private final LockPath path;

	private final Owner owner;

	private final byte[] data;

	private final NodeKind kind;

	private final String prefix;

	private final LostCreate lostCreate;

	private final OtherContenders others;

	private Phase phase = Phase.CREATING;

	private boolean unwanted;

	private boolean replacement;

	private @Nullable ContenderNode node;

	private long czxid;

	private boolean czxidIsToken;

	private int parentAttempts;

	private final ParentNodes parents;

	private boolean undecided;

	// Until the whole first flight is sent
	private boolean broken = true;

	// The delete may be on its way
	private boolean leaving;

	private boolean haunted;

	private @Nullable Predecessors predecessors;

	// What was asked for before the latest list has nothing to say
	private int latestList;

	private boolean listedTooEarly;

	private boolean watched;

	// Completed when no node of this attempt is left
	private final CompletableFuture<Void> gone = new CompletableFuture<>();

	// Completed when ZooKeeper has answered the delete, or when the connection is gone
	private final CompletableFuture<Void> answered = new CompletableFuture<>();

	Contender(ContenderSettings settings, Session session, LockPath path, NodeKind kind, Owner owner, byte[] data) {
		this.kind = kind;
		this.prefix = kind.prefix(settings.ids().next());
		this.settings = settings;
		this.session = session;
		this.path = path;
		this.owner = owner;
		this.data = data;
		this.lostCreate = new LostCreate(session, path, this.prefix);
		this.others = new OtherContenders(this, session, path, settings.sequenceLimit());
		this.parents = new ParentNodes(settings, session, this, path);
	}

	Session session() {
		return this.session;
	}

	NodeKind kind() {
		return this.kind;
	}

	boolean isGranted() {
		return this.phase == Phase.GRANTED && !this.leaving;
	}

	/**
	 * Return whether there is nothing more to come of this attempt.
	 */
	boolean isOver() {
		return this.phase == Phase.ENDED || this.session.isDead();
	}

	/**
	 * Return whether an error has kept it from being begun, or from being ended: it can
	 * only be {@link #release() released}.
	 */
	boolean isBroken() {
		boolean beginning = this.phase == Phase.CREATING || this.phase == Phase.RECOVERING
				|| this.phase == Phase.LISTING;
		return this.leaving || (this.broken && beginning);
	}

	boolean isCreating() {
		return this.phase == Phase.CREATING;
	}

	/**
	 * Return whether ZooKeeper has told that others come first.
	 */
	boolean isBehindOthers() {
		return this.phase == Phase.QUEUED || this.phase == Phase.DRAINING;
	}

	boolean hasNode(String name) {
		return this.node != null && this.node.name().equals(name);
	}

	boolean owns(ContenderNode child) {
		return child.equals(this.node);
	}

	private String nodePath() {
		ContenderNode own = this.node;
		if (own == null) {
			throw new IllegalStateException("No node yet");
		}
		return this.path.child(own.name());
	}

	// Creating

	/**
	 * Create the node and list its siblings, in one flight. Readers, of whom there may be
	 * many, share a list, and need none while others wait for a node before them.
	 */
	void start() {
		this.phase = Phase.CREATING;
		this.broken = true;
		sendFirstFlight();
		this.broken = false;
	}

	private void sendFirstFlight() {
		if (this.session.lists().isTooLong(this.path.parent())) {
			this.session.loop().execute(() -> locked(() -> refused(new Response<>(ReturnCode.TOO_LONG, null))));
			return;
		}
		String prefixPath = this.path.child(this.prefix);
		if (!this.session.nodes().reserve(prefixPath, this.replacement)) {
			fail(noRoom());
			return;
		}
		this.undecided = true;
		this.session.create(prefixPath, this.data, (response) -> locked(() -> created(response)));
		int number = ++this.latestList;
		this.listedTooEarly = this.kind.isShared() && this.session.blockers().find(this.path) != null;
		if (this.listedTooEarly) {
			// It will have to wait for what others wait for already
			return;
		}
		Consumer<Response<Listing>> answer = (response) -> locked(() -> listed(response, number, true));
		if (this.kind.isShared()) {
			this.session.lists().share(this.path.parent(), answer);
		}
		else {
			this.session.lists().list(this.path.parent(), answer);
		}
	}

	/**
	 * Create the node in the flight in which another one is deleted, and in its place.
	 */
	void startInPlaceOf(Contender released) {
		this.replacement = released.session == this.session;
		start();
	}

	private Failure noRoom() {
		OwnNodes nodes = this.session.nodes();
		return new Failure(UnavailableReason.LIMIT,
				("this process has %d nodes already, whose paths have %d bytes, and one more would make it more than %d:"
						+ " hold fewer locks at a time, or raise 'maxNodeBytes' (zk.lock.session.max-node-bytes)"
						+ " together with 'jute.maxbuffer' of the servers")
					.formatted(nodes.count(), nodes.bytes(), nodes.limit()));
	}

	private void created(Response<Created> response) {
		this.undecided = response.is(Meaning.OK) || response.is(Meaning.DISCONNECTED) || response.is(Meaning.UNKNOWN);
		if (this.phase != Phase.CREATING) {
			if (response.is(Meaning.OK)) {
				this.session.delete(response.result().path());
			}
			return;
		}
		switch (response.meaning()) {
			case OK -> {
				String created = response.result().path();
				this.node = ContenderNode.parse(created.substring(created.lastIndexOf('/') + 1));
				this.undecided = this.node == null;
				this.czxid = response.result().czxid();
				this.phase = Phase.LISTING;
				this.owner.created(this, this.parentAttempts > 1);
				if (this.unwanted) {
					release();
				}
				else if (this.listedTooEarly) {
					waitOrList();
				}
			}
			case NO_NODE -> createParents();
			case DISCONNECTED, UNKNOWN -> {
				this.phase = Phase.RECOVERING;
				this.session.later(response, () -> locked(this::recover));
			}
			case BUSY -> this.session.later(response, () -> locked(this::startAgain));
			default -> refused(response);
		}
	}

	private void startAgain() {
		if (this.unwanted) {
			release();
		}
		else if (this.phase != Phase.ENDED) {
			start();
		}
	}

	/**
	 * Create the parent, or all levels if that has not helped, and start again in the
	 * same flight.
	 */
	private void createParents() {
		if (this.unwanted) {
			release();
			return;
		}
		Failure failure = this.parents.failure();
		if (failure != null) {
			fail(failure);
			return;
		}
		if (++this.parentAttempts > PARENT_ATTEMPTS) {
			fail(new Failure(UnavailableReason.REFUSED,
					"its parent node '%s' is removed again and again: who does that below the root (property 'zk.lock.root')?"
						.formatted(this.path.parent())));
			return;
		}
		if (this.parentAttempts > PARENT_ATTEMPTS_WITHOUT_PAUSE) {
			this.session.loop().backOff(() -> locked(this::createParentsNow));
		}
		else {
			createParentsNow();
		}
	}

	private void createParentsNow() {
		if (this.phase != Phase.CREATING) {
			return;
		}
		this.parents.create(this.parentAttempts == 1, this::startAgain);
	}

	void parentMade() {
		this.owner.parentMade(this);
	}

	// Recovering a create whose answer was lost

	private void recover() {
		this.lostCreate.findWhenDecided(() -> this.phase == Phase.RECOVERING,
				(response) -> locked(() -> recovered(response)));
	}

	private void recovered(Response<List<ContenderNode>> response) {
		if (this.phase != Phase.RECOVERING) {
			return;
		}
		switch (response.meaning()) {
			case OK -> {
				if (response.result().isEmpty()) {
					createAfterAll();
				}
				else {
					found(response.result());
				}
			}
			case NO_NODE -> createAfterAll();
			default -> refused(response);
		}
	}

	private void found(List<ContenderNode> own) {
		this.undecided = false;
		this.node = own.get(0);
		this.session.nodes().created(this.path.child(this.prefix), nodePath());
		own.stream().skip(1).forEach(this.lostCreate::delete);
		if (this.unwanted) {
			release();
		}
		else {
			// A list that has still to be sent must not come before the number
			this.latestList++;
			this.phase = Phase.LISTING;
			this.session.insistOnRead(() -> this.phase == Phase.LISTING, Operation.exists(nodePath(), false),
					(response) -> locked(() -> known(response)));
		}
	}

	private void known(Response<Content> response) {
		if (this.phase != Phase.LISTING) {
			return;
		}
		switch (response.meaning()) {
			case OK -> {
				this.czxid = response.result().czxid();
				list();
			}
			case NO_NODE -> gone();
			default -> refused(response);
		}
	}

	/**
	 * The first create has not been executed. Should a server have been so slow that it
	 * still will be, the node is removed later.
	 */
	private void createAfterAll() {
		if (!this.haunted) {
			this.haunted = true;
			this.session.nodes().mayFollow(this.path.child(this.prefix));
			exorciseLater();
		}
		startAgain();
	}

	private void exorciseLater() {
		this.session.loop().schedule(() -> locked(this::exorcise), this.session.timeout().toNanos());
	}

	private void exorcise() {
		if (this.phase == Phase.CREATING || this.phase == Phase.RECOVERING) {
			exorciseLater();
		}
		else {
			this.lostCreate.deleteUnless(this::owns);
		}
	}

	// Listing

	private void list() {
		this.phase = Phase.LISTING;
		int number = ++this.latestList;
		this.session.lists().share(this.path.parent(), (response) -> locked(() -> listed(response, number, false)));
	}

	/**
	 * Wait for what other readers wait for, or find out who is before.
	 */
	private void waitOrList() {
		this.broken = false;
		ContenderNode own = this.node;
		ContenderNode blocker = this.kind.isShared() ? this.session.blockers().find(this.path) : null;
		if (own != null && blocker != null && blocker.blocks(own) && own.sequence() < this.settings.sequenceLimit()) {
			queue(Predecessors.oneOf(this.path, own, blocker));
		}
		else {
			list();
		}
	}

	private void listed(Response<Listing> response, int number, boolean first) {
		if (number != this.latestList) {
			return;
		}
		if (this.phase != Phase.LISTING) {
			// A shared list that was lost has no answer of its own to wait for
			this.listedTooEarly = true;
			return;
		}
		switch (response.meaning()) {
			case OK -> evaluate(response.result(), first);
			case NO_NODE -> gone();
			case DISCONNECTED, UNKNOWN, BUSY -> this.session.later(response, () -> locked(this::listAgain));
			default -> refused(response);
		}
	}

	private void listAgain() {
		if (this.phase == Phase.LISTING) {
			list();
		}
	}

	private void evaluate(Listing listing, boolean first) {
		this.broken = false;
		ContenderNode own = this.node;
		if (own == null || !listing.contains(own)) {
			gone();
			return;
		}
		if (own.sequence() < 0 || own.sequence() >= ContenderSettings.LAST_SEQUENCE) {
			fail(new Failure(UnavailableReason.LIMIT,
					"its queue has run out of numbers: delete node '%s', which is below the root (property 'zk.lock.root'), when it is empty"
						.formatted(this.path.parent())));
			return;
		}
		if (own.sequence() >= this.settings.sequenceLimit()) {
			drain();
			return;
		}
		List<ContenderNode> before = listing.blocking(own);
		if (before.isEmpty()) {
			this.czxidIsToken = first && listing.pzxid() == this.czxid;
			grant();
		}
		else {
			queue(new Predecessors(this.path, own, before));
		}
	}

	// Waiting

	private void queue(Predecessors before) {
		this.phase = Phase.QUEUED;
		this.predecessors = before;
		if (this.kind.isShared()) {
			this.session.blockers().add(this.path, before.nearest());
		}
		this.session.watches().watch(before.nearestPath(), this);
		this.owner.queued(this);
	}

	/**
	 * The nearest predecessor has gone.
	 */
	private void predecessorGone(Predecessors before) {
		this.session.blockers().find(this.path);
		boolean known = before.advance();
		if (known && before.isEmpty()) {
			this.predecessors = null;
			grant();
		}
		else if (known) {
			queue(before);
		}
		else {
			this.predecessors = null;
			this.owner.queued(this);
			if (this.phase != Phase.ENDED) {
				list();
			}
		}
	}

	private void forgetPredecessors() {
		if (this.predecessors != null) {
			this.session.watches().forget(this.predecessors.nearestPath(), this);
			this.session.blockers().find(this.path);
			this.predecessors = null;
		}
	}

	private void grant() {
		if (this.leaving) {
			return;
		}
		if (this.session.lease().currentTerm() != Lease.NONE) {
			this.phase = Phase.GRANTED;
			this.owner.granted(this);
			return;
		}
		this.phase = Phase.CONFIRMING;
		this.session.insistOnWrite(() -> this.phase == Phase.CONFIRMING, Operation.check(nodePath()),
				(response) -> locked(() -> {
					if (this.phase != Phase.CONFIRMING) {
						return;
					}
					if (response.is(Meaning.OK)) {
						grant();
					}
					else if (response.is(Meaning.NO_NODE)) {
						gone();
					}
					else {
						refused(response);
					}
				}));
	}

	/**
	 * The lease has ended since the grant. If the node is still there, it is granted once
	 * more.
	 */
	void confirm() {
		if (this.phase == Phase.GRANTED) {
			grant();
		}
	}

	// Running out of numbers

	/**
	 * Leave the queue, and begin a new one as soon as this one is empty: only with its
	 * parent does the counter go.
	 */
	private void drain() {
		this.session.watches().forget(nodePath(), this);
		this.session.delete(nodePath());
		this.phase = Phase.DRAINING;
		removeParent();
		this.owner.queued(this);
	}

	private void removeParent() {
		this.session.insistOnWrite(() -> this.phase == Phase.DRAINING, Operation.delete(this.path.parent()),
				(response) -> locked(() -> {
					if (this.phase != Phase.DRAINING) {
						return;
					}
					switch (response.meaning()) {
						case OK, NO_NODE -> gone();
						case NOT_EMPTY -> this.session.loop().backOff(() -> locked(this::removeParent));
						default -> refused(response);
					}
				}));
	}

	// Holding

	/**
	 * Return what is known of others who wait.
	 */
	OtherContenders.Known others() {
		return this.others.known();
	}

	/**
	 * Find out whether others wait, and go on listening, unless that is known.
	 */
	void askForOthers() {
		if (this.phase == Phase.GRANTED) {
			this.others.ask();
		}
	}

	void othersChanged() {
		this.owner.othersChanged(this);
	}

	/**
	 * Write to the own node, for the number of the transaction. Sent, and sent again,
	 * only while the one who asks has the lock.
	 */
	void writeToken(BooleanSupplier current, CompletableFuture<Long> token) {
		this.session.insistOnWrite(current, Operation.write(nodePath(), this.data), (response) -> locked(() -> {
			if (!current.getAsBoolean()) {
				return;
			}
			if (response.is(Meaning.OK)) {
				token.complete(response.result());
			}
			else if (response.is(Meaning.NO_NODE)) {
				gone();
			}
			else {
				token.completeExceptionally(response.toException(nodePath()));
			}
		}));
	}

	/**
	 * Return whether the node's own creation orders its first holder behind all earlier
	 * ones.
	 */
	boolean czxidIsToken() {
		return this.czxidIsToken;
	}

	long czxid() {
		return this.czxid;
	}

	/**
	 * Watch the own node if that has not been done: who deletes it by hand takes the lock
	 * away.
	 */
	void watchOwnNode() {
		if (this.node == null || this.watched || this.phase == Phase.ENDED || this.phase == Phase.DRAINING) {
			return;
		}
		this.watched = true;
		this.session.watches().watch(nodePath(), this);
	}

	// Changes

	@Override
	public void present(String present, boolean isOurs) {
		locked(() -> {
			Predecessors before = this.predecessors;
			if (before != null && before.isNearest(present)) {
				before.present(isOurs);
				this.owner.queued(this);
			}
		});
	}

	@Override
	public void gone(String gone) {
		locked(() -> {
			Predecessors before = this.predecessors;
			if (before != null && before.isNearest(gone)) {
				predecessorGone(before);
			}
			else if (this.phase != Phase.ENDED && this.node != null && gone.equals(nodePath())) {
				gone();
			}
		});
	}

	@Override
	public void refused(String refused, Response<?> response) {
		locked(() -> {
			Predecessors before = this.predecessors;
			if (before != null && before.isNearest(refused)) {
				refused(response);
			}
		});
	}

	@Override
	public void childrenChanged() {
		locked(() -> {
			if (this.phase != Phase.ENDED) {
				this.others.changed();
			}
		});
	}

	void disconnected() {
		this.others.disconnected();
	}

	/**
	 * The connection is back: the node can be deleted if nobody wants it.
	 */
	void reconnected() {
		if (this.unwanted && this.phase != Phase.CREATING && this.phase != Phase.RECOVERING) {
			release();
		}
	}

	// The end

	/**
	 * Nobody wants the lock any more. Whoever wants it after all before the node is
	 * deleted may still have it.
	 * @return whether the attempt is over
	 */
	boolean abandon() {
		if (this.phase == Phase.CREATING || this.phase == Phase.RECOVERING) {
			this.unwanted = true;
			return false;
		}
		release();
		return true;
	}

	/**
	 * Nobody wants the lock any more. Whoever wants it after all before the delete of the
	 * node can be sent may have it: not before the connection is back.
	 * @return whether the attempt is over
	 */
	boolean abandonWhenConnected() {
		if (this.session.isConnected()) {
			return abandon();
		}
		this.unwanted = true;
		return false;
	}

	/**
	 * Somebody wants the lock after all.
	 */
	void adopt() {
		this.unwanted = false;
	}

	/**
	 * End this attempt and delete its node.
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> release() {
		boolean wasUnwanted = this.unwanted;
		// From now on nobody gets the lock by this node, whatever becomes of the delete
		this.leaving = true;
		if (this.broken && this.undecided && this.phase != Phase.ENDED) {
			exorciseLater();
		}
		CompletableFuture<Void> done = (this.phase != Phase.ENDED) ? deleteNode()
				: CompletableFuture.completedFuture(null);
		end();
		if (wasUnwanted) {
			this.owner.abandoned(this);
		}
		return done;
	}

	private CompletableFuture<Void> deleteNode() {
		if (this.node == null) {
			this.answered.complete(null);
			this.gone.complete(null);
		}
		else {
			this.session.delete(nodePath(), () -> this.gone.complete(null)).thenRun(() -> this.answered.complete(null));
		}
		return this.answered;
	}

	/**
	 * Return whether ZooKeeper has answered the delete of an attempt that has ended, even
	 * if it has refused it, or the connection is gone.
	 */
	boolean isAnswered() {
		return this.answered.isDone();
	}

	/**
	 * Return whether the node of an attempt that has ended is known to be gone.
	 */
	boolean isGone() {
		return this.gone.isDone();
	}

	/**
	 * Run a task when the delete of an attempt that has ended {@link #isAnswered() is
	 * answered}.
	 */
	void whenAnswered(Runnable task) {
		this.answered.thenRun(noted(task));
	}

	/**
	 * Run a task when the node of an attempt that has ended is known to be gone. Never
	 * runs if the session ends before.
	 */
	void whenGone(Runnable task) {
		this.gone.thenRun(noted(task));
	}

	/**
	 * Have it noted if something fails: a future would keep it to itself.
	 */
	private Runnable noted(Runnable task) {
		return () -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				this.session.loop().troubled = true;
				throw ex;
			}
		};
	}

	/**
	 * End this attempt without a word to ZooKeeper: its session is over.
	 */
	void end() {
		forgetPredecessors();
		this.phase = Phase.ENDED;
		this.session.forget(this.path.parent(), this);
		if (this.node != null) {
			this.session.watches().forget(nodePath(), this);
		}
	}

	/**
	 * Return why that is lost which was held by a node that has gone.
	 */
	Loss loss() {
		return (this.node != null) ? Loss.deleted(nodePath()) : Loss.INTERNAL_ERROR;
	}

	/**
	 * The node has gone.
	 */
	void gone() {
		end();
		if (this.node != null) {
			this.session.nodes().gone(nodePath());
		}
		this.owner.gone(this);
	}

	void refused(Response<?> response) {
		fail(Refusal.of(response, this.path.parent()));
	}

	private void fail(Failure failure) {
		if (this.phase == Phase.ENDED) {
			return;
		}
		if (this.undecided) {
			exorciseLater();
		}
		end();
		// Before the node goes, nobody may believe any more that he has the lock
		this.owner.failed(this, failure);
		deleteNode();
	}

	/**
	 * Run a transition, alone. A transition that fails ends the attempt, so that nobody
	 * waits for it for ever; if that fails, too, the session ends.
	 */
	void locked(Runnable transition) {
		synchronized (this.owner) {
			try {
				this.session.loop().pass("transition");
				transition.run();
				this.session.loop().pass("transition done");
			}
			catch (Throwable ex) {
				this.session.loop().troubled = true;
				this.undecided |= this.node == null;
				EventLoop.logFailure("of an attempt to get lock '" + LockNames.shown(this.path.name()) + "'", ex);
				if (this.phase == Phase.ENDED) {
					// Perhaps not to its end
					throw ex;
				}
				fail(Failure.internalError(ex));
			}
		}
	}

	/**
	 * Who made the attempt. Called under its own monitor.
	 */
	interface Owner {

		/**
		 * The parent was missing, and has been made by this attempt.
		 */
		default void parentMade(Contender contender) {
		}

		/**
		 * The node is there.
		 * @param rootWasMissing whether all levels above it had to be made, or seemed to
		 */
		default void created(Contender contender, boolean rootWasMissing) {
		}

		/**
		 * The lock is granted, within a valid lease.
		 */
		void granted(Contender contender);

		/**
		 * Others come first.
		 */
		void queued(Contender contender);

		/**
		 * There is something new to know about others who wait.
		 */
		default void othersChanged(Contender contender) {
		}

		/**
		 * The node has gone, and with it the attempt.
		 */
		void gone(Contender contender);

		/**
		 * An attempt that nobody wanted has ended.
		 */
		void abandoned(Contender contender);

		/**
		 * The attempt has failed and will always fail.
		 */
		void failed(Contender contender, Failure failure);

	}

}
