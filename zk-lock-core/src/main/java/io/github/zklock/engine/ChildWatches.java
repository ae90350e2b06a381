package io.github.zklock.engine;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * The observers of the children of nodes in one session. The session is the only watcher,
 * however many observers a path has. Thread-safe.
 */
final class ChildWatches {

	private final Map<String, Set<Observer>> observers = new ConcurrentHashMap<>();

	void observe(String path, Observer observer) {
		this.observers.compute(path, (key, present) -> {
			Set<Observer> all = (present != null) ? present : new CopyOnWriteArraySet<>();
			all.add(observer);
			return all;
		});
	}

	void forget(String path, Observer observer) {
		this.observers.computeIfPresent(path, (key, all) -> {
			all.remove(observer);
			return all.isEmpty() ? null : all;
		});
	}

	/**
	 * Notify the observers of a path. On the event loop.
	 */
	void changed(String path) {
		this.observers.getOrDefault(path, Set.of()).forEach(Observer::childrenChanged);
	}

	/**
	 * Is notified of changes to the children of a node, on the event loop.
	 */
	interface Observer {

		void childrenChanged();

	}

}
