package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * What becomes of the delete of an attempt's node. Never fails.
 */
final class NodeDeletion {

	private final EventLoop loop;

	private final CompletableFuture<Void> deleted = new CompletableFuture<>();

	private final CompletableFuture<Void> answered = new CompletableFuture<>();

	NodeDeletion(EventLoop loop) {
		this.loop = loop;
	}

	/**
	 * Delete a node.
	 * @param path the path of the node, null if there is none
	 * @return completed when the delete {@link #isAnswered() is answered}
	 */
	CompletableFuture<Void> begin(Session session, @Nullable String path) {
		if (path == null) {
			this.answered.complete(null);
			this.deleted.complete(null);
		}
		else {
			session.delete(path, () -> this.deleted.complete(null)).thenRun(() -> this.answered.complete(null));
		}
		return this.answered;
	}

	/**
	 * Return whether ZooKeeper has answered the delete, even if it has refused it, or the
	 * connection is gone.
	 */
	boolean isAnswered() {
		return this.answered.isDone();
	}

	/**
	 * Return whether no node of the attempt is left.
	 */
	boolean isDone() {
		return this.deleted.isDone();
	}

	/**
	 * Run a task when the delete {@link #isAnswered() is answered}.
	 */
	void whenAnswered(Runnable task) {
		this.answered.thenRun(noted(task));
	}

	/**
	 * Run a task when no node of the attempt is left. Never runs if the session ends
	 * before.
	 */
	void whenDone(Runnable task) {
		this.deleted.thenRun(noted(task));
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
				this.loop.troubled = true;
				throw ex;
			}
		};
	}

}
