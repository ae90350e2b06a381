package io.github.zklock.engine;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes names for attempts, in the form of UUIDs. No two are equal: the first half is
 * random, once for each registry, and the second half counts. Thread-safe.
 */
final class AttemptIds {

	private final long registry;

	private final AtomicLong attempts;

	AttemptIds() {
		UUID first = UUID.randomUUID();
		this.registry = first.getMostSignificantBits();
		this.attempts = new AtomicLong(first.getLeastSignificantBits());
	}

	String next() {
		return new UUID(this.registry, this.attempts.getAndIncrement()).toString();
	}

}
