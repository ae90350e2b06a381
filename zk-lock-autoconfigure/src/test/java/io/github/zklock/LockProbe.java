package io.github.zklock;

import java.time.Duration;
import java.util.Optional;

/**
 * Asks whether a lock is free, as often as it takes: a server that is too busy to answer
 * in time has not said no.
 */
public final class LockProbe {

	private static final int ATTEMPTS = 20;

	private LockProbe() {
	}

	/**
	 * Return whether a process can have a lock, which it gives back at once.
	 */
	public static boolean isFree(LockRegistry process, String name) {
		try {
			for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
				try {
					return ask(process, name);
				}
				catch (LockUnavailableException ex) {
					// once more
				}
			}
			return ask(process, name);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean ask(LockRegistry process, String name) throws InterruptedException {
		Optional<LockLease> lease = process.lock(name).tryAcquire(Duration.ZERO);
		lease.ifPresent(LockLease::close);
		return lease.isPresent();
	}

}
