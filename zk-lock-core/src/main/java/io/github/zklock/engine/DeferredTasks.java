package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * Tasks that wait for the next connection. For the event loop only.
 */
final class DeferredTasks {

	private final EventLoop loop;

	private final List<Runnable> tasks = new ArrayList<>();

	DeferredTasks(EventLoop loop) {
		this.loop = loop;
	}

	void add(Runnable task) {
		this.tasks.add(task);
	}

	/**
	 * Run all tasks, each once. Tasks that are added meanwhile wait for the next time.
	 */
	void runAll() {
		List<Runnable> waiting = List.copyOf(this.tasks);
		this.tasks.clear();
		waiting.forEach(this.loop::run);
	}

	void clear() {
		this.tasks.clear();
	}

}
