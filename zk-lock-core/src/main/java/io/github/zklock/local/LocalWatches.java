package io.github.zklock.local;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which session wants to hear of which path, once.
 */
final class LocalWatches {

	private final Map<String, Set<LocalSession>> sessions = new HashMap<>();

	void add(String path, LocalSession session) {
		this.sessions.computeIfAbsent(path, (key) -> new HashSet<>()).add(session);
	}

	Set<LocalSession> fire(String path, boolean deleted) {
		return fire(path, deleted, Set.of());
	}

	Set<LocalSession> fire(String path, boolean deleted, Set<LocalSession> except) {
		Set<LocalSession> fired = this.sessions.getOrDefault(path, Set.of());
		fired.stream()
			.filter((session) -> !except.contains(session))
			.sorted(Comparator.comparingLong(LocalSession::id))
			.forEach((session) -> session.changed(path, deleted));
		this.sessions.remove(path);
		return fired;
	}

	void forget(LocalSession session) {
		this.sessions.values().forEach((watching) -> watching.remove(session));
		this.sessions.values().removeIf(Set::isEmpty);
	}

}
