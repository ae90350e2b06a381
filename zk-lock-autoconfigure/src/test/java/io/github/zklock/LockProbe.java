package io.github.zklock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import static io.github.zklock.testing.Patience.PATIENCE;

/**
 * Asks ZooKeeper as often as it takes: a server that is too busy to answer in time has
 * not said no.
 */
public final class LockProbe {

	private static final long POLL_NANOS = Duration.ofMillis(10).toNanos();

	private LockProbe() {
	}

	/**
	 * Return whether a process can have a lock, which it gives back at once.
	 */
	public static boolean isFree(LockRegistry process, String name) {
		return answered(() -> {
			Optional<LockLease> lease = process.lock(name).tryAcquire(Duration.ZERO);
			lease.ifPresent(LockLease::close);
			return lease.isPresent();
		});
	}

	/**
	 * Make a request that does not wait, on this thread, and make it again while
	 * ZooKeeper has not answered.
	 */
	public static <T extends @Nullable Object> T answered(Callable<T> request) {
		try {
			return insist(request);
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static <T extends @Nullable Object> T insist(Callable<T> request) throws Exception {
		long start = System.nanoTime();
		while (true) {
			try {
				return request.call();
			}
			catch (LockUnavailableException | ExecutionException ex) {
				if (!isSilence(ex) || System.nanoTime() - start > PATIENCE.toNanos()) {
					throw ex;
				}
				LockSupport.parkNanos(POLL_NANOS);
			}
		}
	}

	/**
	 * Return whether a request has failed because ZooKeeper has not answered in time.
	 */
	static boolean isSilence(@Nullable Throwable failure) {
		if (failure instanceof ExecutionException || failure instanceof CompletionException) {
			return isSilence(failure.getCause());
		}
		return failure instanceof LockUnavailableException unavailable
				&& (unavailable.reason() == UnavailableReason.NO_ANSWER
						|| unavailable.reason() == UnavailableReason.NOT_CONNECTED);
	}

}
