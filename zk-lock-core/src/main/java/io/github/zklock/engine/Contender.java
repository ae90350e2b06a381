package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockNames;
import io.github.zklock.engine.NodeSession.Created;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a lock: at most one node, in one session, found again by a name that
 * no other attempt has.
 *
 * <p>
 * Everything happens under the monitor of its owner. It tells the owner when the lock is
 * granted, when somebody has deleted its node, and when ZooKeeper refuses it, and never
 * hears of it again once it was {@link #release() released}.
 *
 * <p>
 * It is long because it is the one place that knows all phases of an attempt and the ways
 * between them. What is done in each phase is done by others: {@link NodeCreation},
 * {@link QueuePosition}, {@link QueueDrain}, {@link OwnNode}.
 */
final class Contender {

	/*
	 * CREATING --created--> LISTING --lowest--> GRANTED, with CONFIRMING before it if the
	 * lease is over; LISTING --not lowest--> QUEUED --predecessor gone--> GRANTED or
	 * LISTING. A create whose answer was lost is RECOVERING: the node is looked for
	 * behind a barrier. A queue whose numbers run out is DRAINING.
	 */
	enum Phase {

		CREATING, RECOVERING, LISTING, QUEUED, CONFIRMING, DRAINING, GRANTED, ENDED

	}

	private final ContenderSettings settings;

	private final Session session;

	private final NodeKind kind;

	private final ContenderOwner owner;

	private final OwnNode node;

	private Phase phase = Phase.CREATING;

	// Until the node is known
	private @Nullable NodeCreation creation;

	// Until the lock is granted
	private @Nullable QueuePosition position;

	private boolean unwanted;

	// Until the whole first flight is sent
	private boolean broken = true;

	// The delete may be on its way
	private boolean leaving;

	/**
	 * Create an attempt, which has not begun.
	 * @param settings what all attempts have in common
	 * @param session its session
	 * @param kind what is wanted
	 * @param owner told what becomes of it
	 * @param data what the node says of it
	 */
	Contender(ContenderSettings settings, Session session, NodeKind kind, ContenderOwner owner, byte[] data) {
		this.settings = settings;
		this.session = session;
		this.kind = kind;
		this.owner = owner;
		this.node = new OwnNode(this);
		this.creation = new NodeCreation(this, settings, data);
	}

	Session session() {
		return this.session;
	}

	LockPath path() {
		return this.owner.path();
	}

	NodeKind kind() {
		return this.kind;
	}

	OwnNode node() {
		return this.node;
	}

	long sequenceLimit() {
		return this.settings.sequenceLimit();
	}

	/**
	 * Return whether this is what the attempt does now.
	 */
	boolean isIn(Phase phase) {
		return this.phase == phase;
	}

	boolean isGranted() {
		return this.phase == Phase.GRANTED && !this.leaving;
	}

	/**
	 * Return whether there is nothing more to come of this attempt.
	 */
	boolean isOver() {
		return this.phase == Phase.ENDED || this.session.hasEnded();
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

	/**
	 * Return whether nobody wants the lock any more.
	 */
	boolean isUnwanted() {
		return this.unwanted;
	}

	/**
	 * Return whether ZooKeeper has told that others come first.
	 */
	boolean isBehindOthers() {
		return this.phase == Phase.QUEUED || this.phase == Phase.DRAINING;
	}

	// Creating

	/**
	 * Create the node and list its siblings, in one flight.
	 * @param replaced an attempt whose node is deleted in the same flight, and whose
	 * place the new one takes; null if there is none
	 */
	void start(@Nullable Contender replaced) {
		if (replaced != null && replaced.session == this.session && this.creation != null) {
			this.creation.replace();
		}
		createAgain();
	}

	/**
	 * Create the node, if it is still wanted.
	 */
	void createAgain() {
		NodeCreation present = this.creation;
		if (this.unwanted) {
			release();
		}
		else if (this.phase != Phase.ENDED && present != null) {
			create(present);
		}
	}

	private void create(NodeCreation present) {
		this.phase = Phase.CREATING;
		this.broken = true;
		sendFirstFlight(present);
		this.broken = false;
	}

	private void sendFirstFlight(NodeCreation present) {
		if (this.session.lists().isTooLong(path().parent())) {
			this.session.loop().execute(() -> locked(() -> refused(new Response<>(ReturnCode.TOO_LONG, null))));
			return;
		}
		if (!present.send()) {
			return;
		}
		position().listBehindCreate();
	}

	private QueuePosition position() {
		QueuePosition present = this.position;
		if (present == null) {
			present = new QueuePosition(this);
			this.position = present;
		}
		return present;
	}

	void parentMade() {
		this.owner.parentMade(this);
	}

	/**
	 * The create is answered.
	 * @param rootWasMissing whether all levels above the node had to be made, or seemed
	 * to
	 */
	void created(Created created, boolean rootWasMissing) {
		if (path().parse(created.path()) != null) {
			nodeIs(created.path());
		}
		this.node.czxid(created.czxid());
		this.phase = Phase.LISTING;
		this.owner.created(this, rootWasMissing);
		if (this.unwanted) {
			release();
		}
		else {
			position().created();
		}
	}

	/**
	 * The path of the node is known.
	 */
	void nodeIs(String path) {
		this.node.is(path);
		this.creation = null;
	}

	/**
	 * The answer to the create is lost.
	 */
	void recovering() {
		this.phase = Phase.RECOVERING;
	}

	/**
	 * The node was found whose answer was lost. No list that was sent before counts.
	 */
	void found() {
		position().forgetEarlierLists();
		this.phase = Phase.LISTING;
	}

	// Listing

	void list() {
		this.phase = Phase.LISTING;
		position().list();
		this.broken = false;
	}

	void listAgain() {
		if (this.phase == Phase.LISTING) {
			list();
		}
	}

	/**
	 * There is a list in which the node has its place.
	 */
	void listed() {
		this.broken = false;
	}

	// Waiting

	/**
	 * Others come first. They are about to be watched.
	 */
	void queued() {
		this.broken = false;
		this.phase = Phase.QUEUED;
	}

	/**
	 * Notify the owner that others come first.
	 */
	void notifyQueued() {
		this.owner.queued(this);
	}

	/**
	 * Nobody comes first.
	 */
	void grant() {
		if (this.leaving) {
			return;
		}
		this.position = null;
		if (this.session.lease().currentTerm() != Lease.NONE) {
			this.phase = Phase.GRANTED;
			this.owner.granted(this);
			return;
		}
		this.phase = Phase.CONFIRMING;
		this.session.retries()
			.writeUntilAnswered(() -> this.phase == Phase.CONFIRMING, Operation.check(this.node.path()),
					(response) -> locked(() -> confirmed(response)));
	}

	private void confirmed(Response<String> response) {
		if (this.phase != Phase.CONFIRMING) {
			return;
		}
		switch (response.meaning()) {
			case OK -> grant();
			case NO_NODE -> nodeVanished();
			default -> refused(response);
		}
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
	 * Leave the queue, and begin a new one as soon as this one is empty.
	 */
	void drain() {
		this.node.forget();
		this.session.delete(this.node.path());
		this.phase = Phase.DRAINING;
		new QueueDrain(this).start();
		this.owner.queued(this);
	}

	// Holding

	/**
	 * Find out whether others wait, and go on listening, unless that is known.
	 */
	void askForRivals() {
		if (this.phase == Phase.GRANTED) {
			this.node.askForRivals();
		}
	}

	void rivalsChanged() {
		this.owner.rivalsChanged(this);
	}

	/**
	 * Watch the node if that has not been done.
	 */
	void watchOwnNode() {
		if (this.phase != Phase.ENDED && this.phase != Phase.DRAINING) {
			this.node.watch();
		}
	}

	// Changes

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
		if (this.broken && this.phase != Phase.ENDED) {
			deleteStrayNodeLater();
		}
		CompletableFuture<Void> done = (this.phase != Phase.ENDED) ? this.node.delete()
				: CompletableFuture.completedFuture(null);
		end();
		if (wasUnwanted) {
			this.owner.abandoned(this);
		}
		return done;
	}

	private void deleteStrayNodeLater() {
		NodeCreation present = this.creation;
		if (present != null && present.isUndecided()) {
			present.deleteStrayNodeLater();
		}
	}

	/**
	 * End this attempt without a word to ZooKeeper: its session is over.
	 */
	void end() {
		if (this.position != null) {
			this.position.forgetPredecessors();
		}
		this.phase = Phase.ENDED;
		this.node.forget();
	}

	/**
	 * Somebody has deleted the node, which ends the attempt.
	 */
	void nodeVanished() {
		end();
		if (this.node.isKnown()) {
			this.session.nodes().deleted(this.node.path());
		}
		this.owner.vanished(this);
	}

	void refused(Response<?> response) {
		fail(Refusal.of(response, path().parent()));
	}

	/**
	 * End this attempt, which will always fail.
	 */
	void fail(Failure failure) {
		if (this.phase == Phase.ENDED) {
			return;
		}
		deleteStrayNodeLater();
		end();
		// Before the node goes, nobody may believe any more that he has the lock
		this.owner.failed(this, failure);
		this.node.delete();
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
				NodeCreation present = this.creation;
				if (present != null) {
					present.mayBeSent();
				}
				EventLoop.logFailure("of an attempt to get lock '" + LockNames.shown(path().name()) + "'", ex);
				if (this.phase == Phase.ENDED) {
					// Perhaps not to its end
					throw ex;
				}
				fail(Failure.internalError(ex));
			}
		}
	}

}
