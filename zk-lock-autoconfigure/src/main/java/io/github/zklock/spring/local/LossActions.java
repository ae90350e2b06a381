package io.github.zklock.spring.local;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What users want done when something is lost: once, in order, on their own threads.
 */
final class LossActions {

	private final CompletableFuture<Void> lost = new CompletableFuture<>();

	private final Executor executor;

	LossActions(UserThreads users) {
		this.executor = users.inOrderAfter(this.lost);
	}

	/**
	 * Do something when it is lost, or now if it has been.
	 */
	void add(Runnable action) {
		this.executor.execute(Objects.requireNonNull(action, "'action' must not be null"));
	}

	/**
	 * It has been lost.
	 */
	void lost() {
		this.lost.complete(null);
	}

}
