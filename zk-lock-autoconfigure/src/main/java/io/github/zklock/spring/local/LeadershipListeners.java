package io.github.zklock.spring.local;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.zklock.leader.LeadershipListener;
import org.jspecify.annotations.Nullable;

/**
 * Tells all listeners of an election what happens, each on a line of its own.
 */
final class LeadershipListeners {

	private final UserThreads users;

	private final List<Line> lines = new CopyOnWriteArrayList<>();

	LeadershipListeners(UserThreads users) {
		this.users = users;
	}

	/**
	 * Add a listener, unless it is there.
	 * @param past what it has to hear first, if anything
	 */
	void add(LeadershipListener listener, @Nullable Consumer<LeadershipListener> past) {
		if (this.lines.stream().anyMatch((line) -> line.listener == listener)) {
			return;
		}
		Line line = new Line(listener, this.users.inOrder());
		if (past != null) {
			line.tell(past);
		}
		this.lines.add(line);
	}

	void remove(LeadershipListener listener) {
		this.lines.stream().filter((line) -> line.listener == listener).forEach((line) -> line.removed = true);
		this.lines.removeIf((line) -> line.removed);
	}

	void tell(Consumer<LeadershipListener> event) {
		this.lines.forEach((line) -> line.tell(event));
	}

	private static final class Line {

		private final LeadershipListener listener;

		private final Executor executor;

		private volatile boolean removed;

		Line(LeadershipListener listener, Executor executor) {
			this.listener = listener;
			this.executor = executor;
		}

		void tell(Consumer<LeadershipListener> event) {
			this.executor.execute(() -> {
				if (!this.removed) {
					event.accept(this.listener);
				}
			});
		}

	}

}
