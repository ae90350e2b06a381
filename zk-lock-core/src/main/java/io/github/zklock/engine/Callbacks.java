package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

import io.github.zklock.LossInterrupt;
import org.jspecify.annotations.Nullable;

/**
 * What users want done when something happens that happens at most once: in order, on
 * their own threads. Only a {@link LossInterrupt} is no code of theirs, and is sent at
 * once. Thread-safe.
 */
final class Callbacks {

	private enum State {

		POSSIBLE, HAPPENED, RULED_OUT

	}

	private final CallbackThreads users;

	// Most have none
	private List<Runnable> actions = Collections.emptyList();

	private State state = State.POSSIBLE;

	private @Nullable Executor executor;

	Callbacks(CallbackThreads users) {
		this.users = users;
	}

	/**
	 * Do something when it happens, or now if it has.
	 */
	synchronized void add(Runnable action) {
		Objects.requireNonNull(action, "'action' must not be null");
		switch (this.state) {
			case POSSIBLE -> {
				if (action instanceof LossInterrupt) {
					// There may be one for each call within a long one
					this.actions.removeIf((present) -> present instanceof LossInterrupt old && old.isOver());
				}
				keep(action);
			}
			case HAPPENED -> {
				keep(action);
				interrupt();
				runAll();
			}
			case RULED_OUT -> {
			}
		}
	}

	private void keep(Runnable action) {
		if (this.actions.isEmpty()) {
			this.actions = new ArrayList<>(1);
		}
		this.actions.add(action);
	}

	/**
	 * It has happened: interrupt whoever is to be interrupted, before anybody is told.
	 * May be said again.
	 */
	synchronized void interrupt() {
		if (this.state == State.POSSIBLE) {
			this.state = State.HAPPENED;
		}
		if (this.state == State.HAPPENED) {
			this.actions.removeIf((action) -> {
				boolean interrupt = action instanceof LossInterrupt;
				if (interrupt) {
					// Somebody's thread may not like to be interrupted
					EventLoop.attempt(action);
				}
				return interrupt;
			});
		}
	}

	/**
	 * It has happened. May be said again: what could not be run before is run then.
	 */
	synchronized void happened() {
		interrupt();
		if (this.state == State.HAPPENED) {
			runAll();
		}
	}

	/**
	 * Return how many things there are to do.
	 */
	synchronized int size() {
		return this.actions.size();
	}

	private void runAll() {
		while (!this.actions.isEmpty()) {
			run(this.actions.get(0));
			this.actions.remove(0);
		}
	}

	/**
	 * It cannot happen any more.
	 */
	synchronized void ruleOut() {
		if (this.state == State.POSSIBLE) {
			this.state = State.RULED_OUT;
			this.actions = Collections.emptyList();
		}
	}

	private void run(Runnable action) {
		if (this.executor == null) {
			this.executor = this.users.inOrder();
		}
		this.executor.execute(action);
	}

}
