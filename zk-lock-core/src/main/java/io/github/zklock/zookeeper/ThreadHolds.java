package io.github.zklock.zookeeper;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Which locks are in the hands of which threads. A hold that was lost stays here until
 * its thread has unlocked it.
 */
final class ThreadHolds {

	private record Key(Thread thread, String name) {

	}

	private final Map<Key, Hold> holds = new ConcurrentHashMap<>();

	@Nullable Hold ofCurrentThread(String name) {
		return this.holds.get(new Key(Thread.currentThread(), name));
	}

	void add(Hold hold) {
		Thread owner = hold.owner();
		if (owner != null) {
			this.holds.put(new Key(owner, hold.name()), hold);
		}
	}

	void remove(Hold hold) {
		Thread owner = hold.owner();
		if (owner != null) {
			this.holds.remove(new Key(owner, hold.name()), hold);
		}
	}

}
