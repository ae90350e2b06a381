package io.github.zklock.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.LockNames;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which locks are in the hands of which threads. A hold that was lost stays here until
 * its thread has unlocked it, or has ended.
 */
final class ThreadHolds {

	private record Key(Thread thread, String name) {

	}

	private static final Logger logger = LoggerFactory.getLogger(ThreadHolds.class);

	private final Map<Key, ThreadHold> holds = new ConcurrentHashMap<>();

	@Nullable ThreadHold ofCurrentThread(String name) {
		return this.holds.get(new Key(Thread.currentThread(), name));
	}

	void add(Hold hold) {
		Thread owner = hold.owner();
		if (owner != null) {
			this.holds.put(new Key(owner, hold.name()), new ThreadHold(hold));
		}
	}

	/**
	 * Forget the holds of threads that have ended: nobody can unlock them any more.
	 */
	void purge() {
		this.holds.forEach((key, known) -> {
			if (!key.thread().isAlive() && this.holds.remove(key, known) && known.hold().isHeld()) {
				logger.warn("Thread '{}' has ended without unlocking lock '{}', which stays locked:"
						+ " unlock it in a finally block", key.thread().getName(), LockNames.shown(key.name()));
			}
		});
	}

	int size() {
		return this.holds.size();
	}

	void remove(Hold hold) {
		Thread owner = hold.owner();
		if (owner != null) {
			Key key = new Key(owner, hold.name());
			ThreadHold known = this.holds.get(key);
			if (known != null && known.hold() == hold) {
				this.holds.remove(key, known);
			}
		}
	}

}
