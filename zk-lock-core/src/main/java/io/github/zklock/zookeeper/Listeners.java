package io.github.zklock.zookeeper;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.github.zklock.LockListener;

/**
 * Tells all listeners what happens, each on a line of its own, so that none can hold up
 * another or a lock.
 */
final class Listeners {

	private record Line(LockListener listener, Executor executor) {

	}

	private final List<Line> lines;

	Listeners(List<LockListener> listeners, UserThreads threads) {
		this.lines = listeners.stream().map((listener) -> new Line(listener, threads.inOrder())).toList();
	}

	void tell(Consumer<LockListener> event) {
		for (Line line : this.lines) {
			line.executor().execute(() -> event.accept(line.listener()));
		}
	}

}
