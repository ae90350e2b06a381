package io.github.zklock.spring.local;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.zklock.LossInterrupt;

/**
 * What users want done when something is lost: once, in order, on their own threads.
 */
final class LossActions {

	private final CompletableFuture<Void> lost = new CompletableFuture<>();

	private final Executor executor;

	private final List<LossInterrupt> interrupts = new ArrayList<>(0);

	LossActions(UserThreads users) {
		this.executor = users.inOrderAfter(this.lost);
	}

	/**
	 * Do something when it is lost, or now if it has been.
	 */
	void add(Runnable action) {
		Objects.requireNonNull(action, "'action' must not be null");
		if (action instanceof LossInterrupt interrupt) {
			add(interrupt);
		}
		else {
			this.executor.execute(action);
		}
	}

	private synchronized void add(LossInterrupt interrupt) {
		if (this.lost.isDone()) {
			interrupt.run();
		}
		this.interrupts.removeIf(LossInterrupt::isOver);
		this.interrupts.add(interrupt);
	}

	/**
	 * It has been lost.
	 */
	synchronized void lost() {
		this.interrupts.forEach(LossInterrupt::run);
		this.lost.complete(null);
	}

}
