package io.github.zklock.engine;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The elections of a registry, one for each role. They live as long as somebody can reach
 * them: a caller, by the election or a task, the session while this process takes part,
 * or this object while they have listeners. Thread-safe.
 */
final class Elections {

	private final Map<String, RoleReference> roles = new ConcurrentHashMap<>();

	private final ReferenceQueue<Candidacy> unreachable = new ReferenceQueue<>();

	private final Set<Candidacy> listenedTo = ConcurrentHashMap.newKeySet();

	/**
	 * Return the election of a role.
	 * @param role the role
	 * @param factory makes the election if there is none
	 */
	ElectionHandle get(String role, Function<String, ElectionHandle> factory) {
		RoleReference present = this.roles.get(role);
		Candidacy candidacy = (present != null) ? present.get() : null;
		if (candidacy != null) {
			return candidacy.election();
		}
		forgetUnreachable();
		while (true) {
			RoleReference reference = new RoleReference(factory.apply(role).candidacy(), this.unreachable);
			Candidacy found = this.roles.merge(role, reference, (old, proposed) -> (old.get() != null) ? old : proposed)
				.get();
			if (found != null) {
				return found.election();
			}
		}
	}

	/**
	 * Note whether an election has listeners.
	 */
	void keep(Candidacy candidacy, boolean hasListeners) {
		if (hasListeners) {
			this.listenedTo.add(candidacy);
		}
		else {
			this.listenedTo.remove(candidacy);
		}
	}

	int size() {
		return this.roles.size();
	}

	private void forgetUnreachable() {
		for (Reference<?> gone = this.unreachable.poll(); gone != null; gone = this.unreachable.poll()) {
			if (gone instanceof RoleReference reference) {
				this.roles.remove(reference.role, reference);
			}
		}
	}

	// The end

	void forEach(Consumer<Candidacy> action) {
		candidacies().forEach((candidacy) -> EventLoop.attempt(() -> action.accept(candidacy)));
	}

	/**
	 * Return whether listeners are still to hear of the end of a leadership.
	 */
	boolean areHandingOver() {
		return candidacies().map(Candidacy::departure).anyMatch(LeaderDeparture::isHandingOver);
	}

	private Stream<Candidacy> candidacies() {
		return this.roles.values().stream().map(Reference::get).filter(Objects::nonNull);
	}

	/**
	 * An election that nobody may need any more.
	 */
	private static final class RoleReference extends WeakReference<Candidacy> {

		private final String role;

		RoleReference(Candidacy candidacy, ReferenceQueue<Candidacy> unreachable) {
			super(candidacy, unreachable);
			this.role = candidacy.role();
		}

	}

}
