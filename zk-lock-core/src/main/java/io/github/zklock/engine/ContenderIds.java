package io.github.zklock.engine;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes names for attempts, in the form of UUIDs. No two are equal: the first half is
 * random, once for each registry, and the second half counts. Thread-safe.
 */
final class ContenderIds {

	private final long registry;

	private final AtomicLong attempts;

	ContenderIds(Platform platform) {
		UUID first = platform.newUuid();
		this.registry = first.getMostSignificantBits();
		this.attempts = new AtomicLong(first.getLeastSignificantBits());
	}

	String next() {
		return new UUID(this.registry, this.attempts.getAndIncrement()).toString();
	}

}
