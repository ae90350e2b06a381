package io.github.zklock.engine;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.engine.ReturnCode.Meaning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes nodes of one session, for certain: if the connection is lost, again when it is
 * back, and if ZooKeeper refuses, again after a session timeout, until the session ends.
 * Nodes may be deleted by any thread.
 */
final class PendingDeletes {

	private static final Logger logger = LoggerFactory.getLogger(PendingDeletes.class);

	private final Session session;

	private final Map<String, CompletableFuture<Void>> deletes = new ConcurrentHashMap<>();

	// Deletes that were never given to the client. By the event loop only
	private final DeferredTasks unsent;

	PendingDeletes(Session session) {
		this.session = session;
		this.unsent = new DeferredTasks(session.loop());
	}

	/**
	 * Delete a node.
	 * @param whenDeleted run when the node is known to be gone
	 * @return completed when ZooKeeper has answered, or when the connection is gone
	 */
	CompletableFuture<Void> delete(String path, Runnable whenDeleted) {
		this.session.nodes().known(path);
		CompletableFuture<Void> done = this.deletes.computeIfAbsent(path, (key) -> new CompletableFuture<>());
		whenConnected(() -> deleteUntilAnswered(path, done, whenDeleted));
		if (this.session.hasEnded()) {
			this.deletes.remove(path);
		}
		if (this.session.hasEnded() || !this.session.isConnected()) {
			done.complete(null);
		}
		return done;
	}

	/**
	 * Run a task now, or when the connection is back. Without a connection nothing that
	 * is to be sent until it is answered is given to the client: it would not tell
	 * whether it was ever sent.
	 */
	private void whenConnected(Runnable task) {
		if (this.session.isConnected()) {
			task.run();
			return;
		}
		this.session.loop().execute(() -> {
			if (this.session.isConnected()) {
				task.run();
			}
			else if (!this.session.hasEnded()) {
				this.unsent.add(task);
			}
		});
	}

	private void deleteUntilAnswered(String path, CompletableFuture<Void> done, Runnable whenDeleted) {
		this.session.nodes().deleting(path);
		this.session.retries().writeUntilAnswered(() -> true, Operation.delete(path), (response) -> {
			boolean deleted = response.is(Meaning.OK) || response.is(Meaning.NO_NODE);
			if (deleted) {
				// before anybody is notified who may need the room
				this.session.nodes().deleted(path);
			}
			this.deletes.remove(path);
			done.complete(null);
			if (deleted) {
				whenDeleted.run();
			}
			else {
				logger.error(
						"Node '{}' cannot be deleted, so its lock is not free. Trying again until the session ends",
						path, response.toException(path));
				this.session.loop().schedule(() -> delete(path, whenDeleted), this.session.timeout().toNanos());
			}
		});
	}

	/**
	 * Return whether no node is still to be deleted.
	 */
	boolean isEmpty() {
		return this.deletes.isEmpty();
	}

	/**
	 * Send what has waited for a connection. By the event loop only.
	 */
	void connected() {
		this.unsent.runAll();
	}

	/**
	 * Let nobody wait for an answer: the connection is lost. Deletes that were sent are
	 * sent again on the next one.
	 */
	void disconnected() {
		this.deletes.values().forEach(PendingDeletes::complete);
	}

	/**
	 * Forget what was never sent. By the event loop only.
	 */
	void clearUnsent() {
		this.unsent.clear();
	}

	/**
	 * Forget all deletes, and let nobody wait for them.
	 */
	void clear() {
		this.deletes.values().forEach(PendingDeletes::complete);
		this.deletes.clear();
	}

	private static void complete(CompletableFuture<Void> done) {
		done.complete(null);
	}

}
