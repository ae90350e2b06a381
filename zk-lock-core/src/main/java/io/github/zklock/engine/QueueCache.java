package io.github.zklock.engine;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The queues of a registry, by the name of the lock. They live as long as somebody can
 * reach them: a caller by its lock or lease, or the session while the lock is held or
 * awaited. Thread-safe.
 */
final class QueueCache {

	private final Map<String, QueuesReference> names = new ConcurrentHashMap<>();

	private final ReferenceQueue<LockQueues> unreachable = new ReferenceQueue<>();

	/**
	 * Return the queues of a lock.
	 * @param name the lock's name
	 * @param factory makes them if there are none
	 */
	LockQueues get(String name, Function<String, LockQueues> factory) {
		LockQueues present = find(name);
		if (present != null) {
			return present;
		}
		forgetUnreachable();
		while (true) {
			QueuesReference reference = new QueuesReference(factory.apply(name), this.unreachable);
			LockQueues found = this.names
				.merge(name, reference, (old, proposed) -> (old.get() != null) ? old : proposed)
				.get();
			if (found != null) {
				return found;
			}
		}
	}

	private @Nullable LockQueues find(String name) {
		QueuesReference present = this.names.get(name);
		return (present != null) ? present.get() : null;
	}

	boolean isInUse(LockPath path) {
		LockQueues queues = find(path.name());
		return queues != null && queues.isInUse();
	}

	Stream<LockQueues> all() {
		return this.names.values().stream().map(Reference::get).filter(Objects::nonNull);
	}

	int size() {
		return this.names.size();
	}

	private void forgetUnreachable() {
		for (Reference<?> gone = this.unreachable.poll(); gone != null; gone = this.unreachable.poll()) {
			if (gone instanceof QueuesReference reference) {
				this.names.remove(reference.name, reference);
			}
		}
	}

	/**
	 * Queues that nobody may need any more.
	 */
	private static final class QueuesReference extends WeakReference<LockQueues> {

		private final String name;

		QueuesReference(LockQueues queues, ReferenceQueue<LockQueues> unreachable) {
			super(queues, unreachable);
			this.name = queues.name();
		}

	}

}
