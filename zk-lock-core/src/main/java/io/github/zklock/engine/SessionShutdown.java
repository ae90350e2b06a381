package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the session when a registry is stopped or closed: first {@link #close() closes} it
 * in good order, so that the server deletes its nodes at once, then has the event loop
 * {@link #end end} it here. Called by the thread that stops the registry, except where
 * something else is said.
 */
final class SessionShutdown {

	private static final Logger logger = LoggerFactory.getLogger(SessionShutdown.class);

	private static final int TIMEOUT_MILLIS = 2_000;

	private final SessionKeeper keeper;

	private final EventLoop loop;

	private final OldNodes oldNodes;

	private final Dependents dependents;

	private final SessionSettings settings;

	// No session is opened any more, not even to delete old nodes
	private volatile boolean closed;

	// The latest session has probably been closed by the server, too
	private volatile boolean freed;

	private final AtomicInteger runs = new AtomicInteger();

	SessionShutdown(SessionKeeper keeper, OldNodes oldNodes, Dependents dependents, SessionSettings settings) {
		this.keeper = keeper;
		this.loop = keeper.loop();
		this.oldNodes = oldNodes;
		this.dependents = dependents;
		this.settings = settings;
	}

	/**
	 * Return whether the last session of this run has been closed. By any thread.
	 */
	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Return whether the server has probably deleted all nodes of the last session. By
	 * any thread.
	 */
	boolean hasFreedNodes() {
		return this.freed;
	}

	/**
	 * Begin another run: sessions may be opened again.
	 */
	void reset() {
		this.runs.incrementAndGet();
		this.closed = false;
	}

	/**
	 * Close the session. If it has nodes and no connection, or an earlier one has left
	 * nodes, wait a little for that.
	 * @return whether the thread was interrupted meanwhile
	 */
	boolean close() {
		boolean interrupted = false;
		try {
			awaitDeletes();
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		this.closed = true;
		this.freed = false;
		Session session = this.keeper.session();
		if (session == null) {
			return interrupted;
		}
		boolean connected = session.isConnected();
		session.endLease();
		// The client would forget to tell the server if it found an interrupt
		interrupted |= Thread.interrupted();
		close(session);
		boolean disturbed = Thread.interrupted();
		this.freed = connected && !disturbed;
		return disturbed || interrupted;
	}

	/**
	 * Close a session on the server. By any thread.
	 */
	static void close(Session session) {
		try {
			session.nodeSession().close(TIMEOUT_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void awaitDeletes() throws InterruptedException {
		if (!this.keeper.await(this::canDelete, TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS))) {
			Session session = this.keeper.session();
			logger.warn(
					"{} is not connected: the nodes of this process are deleted when their session expires,"
							+ " after up to {} ms",
					this.settings.place(),
					((session != null) ? session.timeout() : this.settings.timeout()).toMillis());
		}
	}

	/**
	 * Return whether the nodes of earlier sessions are gone, and those of the present one
	 * can be deleted.
	 */
	private boolean canDelete() {
		Session session = this.keeper.session();
		return this.oldNodes.isEmpty() && (session == null || session.isConnected() || session.deletes().isEmpty());
	}

	/**
	 * End the session that has been closed, and wait for that. Everything that is still
	 * held in it is lost, and its holders are notified. Nodes that could not be deleted
	 * are deleted first by the next session.
	 * @param last run then, with what errors may have left
	 */
	void end(Runnable last) {
		if (!this.closed) {
			// An error has skipped that
			this.freed = false;
			this.closed = true;
		}
		int ending = this.runs.get();
		CompletableFuture<Void> done = new CompletableFuture<>();
		try {
			this.loop.execute(() -> {
				try {
					if (ending == this.runs.get()) {
						end(this.keeper.session(), last);
					}
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
		Futures.awaitQuietly(this.loop.platform(), done, TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS));
	}

	private void end(@Nullable Session session, Runnable last) {
		this.loop.run(() -> this.keeper.end(session));
		last.run();
		this.dependents.forEach(Dependent::repair);
	}

	/**
	 * Forget the session: the event loop is closed, so nobody may wait for an answer.
	 */
	void abandon() {
		Session session = this.keeper.session();
		if (session != null) {
			session.abandon();
			// An error may have skipped that
			EventLoop.attempt(() -> this.keeper.closeInBackground(session));
		}
	}

}
