package io.github.zklock.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * What users want done when something is lost: once, in order, on their own threads.
 * Thread-safe.
 */
final class LossActions {

	private enum State {

		POSSIBLE, LOST, RULED_OUT

	}

	private final UserThreads users;

	private final List<Runnable> actions = new ArrayList<>(0);

	private State state = State.POSSIBLE;

	private @Nullable Executor executor;

	LossActions(UserThreads users) {
		this.users = users;
	}

	/**
	 * Do something when it is lost, or now if it has been.
	 */
	synchronized void add(Runnable action) {
		Objects.requireNonNull(action, "'action' must not be null");
		switch (this.state) {
			case POSSIBLE -> this.actions.add(action);
			case LOST -> {
				this.actions.add(action);
				runAll();
			}
			case RULED_OUT -> {
			}
		}
	}

	/**
	 * It has been lost. May be said again: what could not be run before is run then.
	 */
	synchronized void lost() {
		if (this.state == State.POSSIBLE) {
			this.state = State.LOST;
		}
		if (this.state == State.LOST) {
			runAll();
		}
	}

	private void runAll() {
		while (!this.actions.isEmpty()) {
			run(this.actions.get(0));
			this.actions.remove(0);
		}
	}

	/**
	 * It cannot be lost any more.
	 */
	synchronized void ruleOut() {
		if (this.state == State.POSSIBLE) {
			this.state = State.RULED_OUT;
			this.actions.clear();
		}
	}

	private void run(Runnable action) {
		if (this.executor == null) {
			this.executor = this.users.inOrder();
		}
		this.executor.execute(action);
	}

}
