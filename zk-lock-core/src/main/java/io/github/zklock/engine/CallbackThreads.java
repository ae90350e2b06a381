package io.github.zklock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where users are called: listeners, loss actions and what hangs on futures. On threads
 * of ours, or by an executor of the user.
 */
final class CallbackThreads implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(CallbackThreads.class);

	private final EventLoop loop;

	private final TaskThreads own;

	private final Executor background;

	// Before all others that wait
	private final Executor soon;

	private final @Nullable GivenTasks given;

	/**
	 * Begin without threads.
	 * @param name the beginning of the names of our threads
	 * @param executor the user's, null if there is none
	 */
	CallbackThreads(String name, EventLoop loop, @Nullable Executor executor) {
		this.loop = loop;
		this.own = loop.platform().newTaskThreads(name, loop::backOff);
		this.background = passing(this.own);
		this.soon = passing(this.own::executeSoon);
		this.given = (executor != null) ? new GivenTasks(executor, this.soon, loop) : null;
	}

	private Executor passing(Executor threads) {
		return (task) -> {
			this.loop.pass("user task");
			threads.execute(task);
		};
	}

	/**
	 * Return our own threads, for what has nothing to do with users.
	 */
	Executor background() {
		return this.background;
	}

	/**
	 * Return our own threads, for what has nothing to do with users and comes before all
	 * others that wait.
	 */
	Executor soon() {
		return this.soon;
	}

	/**
	 * See to it that what waits for our own threads is run.
	 */
	void attend() {
		this.own.attend();
	}

	@Override
	public void execute(Runnable task) {
		if (this.given != null) {
			this.given.execute(task, this.background);
		}
		else {
			this.background.execute(task);
		}
	}

	/**
	 * Run a task before all others that wait, as far as that is up to us: somebody waits
	 * for it.
	 */
	void executeSoon(Runnable task) {
		if (this.given != null) {
			this.given.execute(task, this.soon);
		}
		else {
			this.soon.execute(task);
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
	 * Run a task of a user. Never fails.
	 */
	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			warn(ex);
		}
	}

	private static void warn(Throwable failure) {
		try {
			logger.warn("A listener, a loss action or what depends on a future of a lock has failed", failure);
		}
		catch (Throwable ex) {
			// There may be no memory even for that
		}
	}

	/**
	 * Return an executor that runs its tasks one after the other.
	 */
	Executor inOrder() {
		return new InOrder(this);
	}

	/**
	 * End our threads when they have run what was given to them. Does not wait. A
	 * callback that comes later is run on a thread of its own rather than dropped.
	 */
	void close() {
		if (this.given != null) {
			this.given.close();
		}
		this.own.close();
	}

}
