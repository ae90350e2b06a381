package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * Where users are called: listeners, loss actions and what hangs on futures. On threads
 * of ours, or by an executor of the user.
 */
final class UserThreads implements Executor {

	private final EventLoop loop;

	private final PacedThreads own;

	private final @Nullable GivenTasks given;

	/**
	 * Begin without threads.
	 * @param name the beginning of the names of our threads
	 * @param executor the user's, null if there is none
	 */
	UserThreads(String name, EventLoop loop, @Nullable Executor executor) {
		this.loop = loop;
		this.own = new PacedThreads(name, loop);
		this.given = (executor != null) ? new GivenTasks(executor, this.own::executeSoon, loop) : null;
	}

	/**
	 * Return our own threads, for what has nothing to do with users.
	 */
	PacedThreads own() {
		return this.own;
	}

	@Override
	public void execute(Runnable task) {
		if (this.given != null) {
			this.given.execute(task, this.own);
		}
		else {
			this.own.execute(task);
		}
	}

	/**
	 * Run a task before all others that wait, as far as that is up to us: somebody waits
	 * for it.
	 */
	void executeSoon(Runnable task) {
		if (this.given != null) {
			this.given.execute(task, this.own::executeSoon);
		}
		else {
			this.own.executeSoon(task);
		}
	}

	/**
	 * Return a future for users that is completed when a future of ours is, which never
	 * fails. What users do with it is no concern of ours.
	 */
	CompletableFuture<Void> handOver(CompletableFuture<Void> done) {
		CompletableFuture<Void> handed = new CompletableFuture<>();
		if (done.isDone()) {
			handed.complete(null);
		}
		else {
			done.thenRun(() -> complete(handed));
		}
		return handed;
	}

	private void complete(CompletableFuture<Void> handed) {
		try {
			executeSoon(() -> handed.complete(null));
		}
		catch (Throwable ex) {
			this.loop.backOff(() -> complete(handed));
			throw ex;
		}
	}

	/**
	 * Return an executor that runs its tasks one after the other.
	 */
	Executor inOrder() {
		return new InOrder(this);
	}

	/**
	 * End our threads when they have done what they have to do. Does not wait. What comes
	 * later is still run: nobody is left in the dark.
	 */
	void close() {
		if (this.given != null) {
			this.given.close();
		}
		this.own.close();
	}

}
