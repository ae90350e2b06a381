package io.github.zklock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A lock that a caller of this instance holds or waits for.
 *
 * @param name the lock's name
 * @param mode whether it is the whole lock or for reading
 * @param thread the thread that owns it; null if whoever has the lease does
 * @param since when the holding or waiting began, by the clock of this process
 */
public record LocalLock(String name, LockMode mode, @Nullable String thread, Instant since) {

	/**
	 * Says no more of the name than a log can bear.
	 */
	@Override
	public String toString() {
		return "LocalLock[name=%s, mode=%s, thread=%s, since=%s]".formatted(LockNames.shown(this.name), this.mode,
				this.thread, this.since);
	}

}
