package io.github.zklock.spring;

import java.util.ArrayList;
import java.util.List;

import io.github.zklock.LockLostException;
import io.github.zklock.LockNames;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LossInterrupt;
import org.jspecify.annotations.Nullable;

/**
 * A call of the current thread that needs locks: they are taken, the body runs, they are
 * left. Used once, by one thread.
 */
final class BlockingCall {

	private final LockRegistry registry;

	private final @Nullable LockStack outer = LockStack.current();

	private final List<ThreadEntry> entries = new ArrayList<>(1);

	private @Nullable LossInterrupt interrupt;

	BlockingCall(LockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Take the locks, all or none.
	 * @return the one that others hold, null if all were taken
	 */
	@Nullable LockOptions enter(List<LockOptions> locks) {
		// The first one has all of its time, so a single one needs no clock
		long start = (locks.size() > 1) ? System.nanoTime() : 0;
		boolean complete = false;
		try {
			for (LockOptions lock : locks) {
				ThreadEntry entry = enter(lock,
						this.entries.isEmpty() ? ThreadEntry.waitNanos(lock) : ThreadEntry.remainingNanos(lock, start));
				if (entry == null) {
					return lock;
				}
				this.entries.add(entry);
			}
			this.entries.forEach(ThreadEntry::keepForTransaction);
			complete = true;
			return null;
		}
		finally {
			if (!complete) {
				giveBack();
			}
		}
	}

	private @Nullable ThreadEntry enter(LockOptions lock, long waitNanos) {
		try {
			return ThreadEntry.enter(this.registry, lock, waitNanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(lock.name(), ex);
		}
	}

	private void giveBack() {
		for (int index = this.entries.size() - 1; index >= 0; index--) {
			this.entries.get(index).giveBack();
		}
	}

	/**
	 * Run the body and leave the locks.
	 * @return what the body has returned
	 * @throws E what the body has thrown
	 * @throws LockLostException if a lock was lost
	 */
	<T extends @Nullable Object, E extends Throwable> T run(LockAction<T, E> body) throws E {
		T result;
		try {
			begin();
			result = body.run();
		}
		catch (Throwable ex) {
			RuntimeException problem = end(ex);
			if (problem != null && problem.getCause() == ex) {
				throw problem;
			}
			if (problem != null && !isToldBy(ex, problem)) {
				ex.addSuppressed(problem);
			}
			throw ex;
		}
		RuntimeException problem = end(null);
		if (problem != null) {
			throw problem;
		}
		return result;
	}

	private void begin() {
		LockStack held = this.outer;
		for (ThreadEntry entry : this.entries) {
			held = new LockStack(entry.lease(), entry.onLost(), held);
		}
		LockStack.bind(held);
		for (ThreadEntry entry : this.entries) {
			if (entry.isAccountable() && entry.onLost() == OnLost.INTERRUPT) {
				LossInterrupt interrupt = (this.interrupt != null) ? this.interrupt : new LossInterrupt();
				this.interrupt = interrupt;
				entry.lease().onLost(interrupt);
			}
		}
	}

	/**
	 * The body has ended.
	 * @return what the caller is to be told: of a loss, with the failure as its cause if
	 * the body was interrupted because of it, or of what went wrong at the end; null if
	 * there is nothing to tell
	 */
	private @Nullable RuntimeException end(@Nullable Throwable failure) {
		boolean interrupted = this.interrupt != null && this.interrupt.end();
		LockStack.bind(this.outer);
		RuntimeException problem = null;
		for (ThreadEntry entry : this.entries) {
			LockLostException loss = (problem == null) ? entry.loss() : null;
			if (loss != null) {
				problem = LockStack.because(loss, interrupted ? failure : null);
			}
		}
		for (int index = this.entries.size() - 1; index >= 0; index--) {
			problem = leave(this.entries.get(index), problem);
		}
		return problem;
	}

	private @Nullable RuntimeException leave(ThreadEntry entry, @Nullable RuntimeException earlier) {
		try {
			entry.leave();
			return earlier;
		}
		catch (RuntimeException ex) {
			if (earlier == null) {
				return ex;
			}
			if (earlier != ex) {
				earlier.addSuppressed(ex);
			}
			return earlier;
		}
	}

	/**
	 * Return whether a failure tells already what there is to tell.
	 */
	private static boolean isToldBy(Throwable failure, RuntimeException problem) {
		return failure == problem || (failure instanceof LockLostException known
				&& problem instanceof LockLostException lost && known.name().equals(lost.name()));
	}

	static LockTimeoutException timeout(LockOptions lock) {
		return new LockTimeoutException(lock.name(),
				("Lock '%s' was not granted within %d ms because others hold it. LockInspector.queue(\"%s\") tells who; "
						+ "to wait longer set 'maxWait' or the property 'zk.lock.max-wait'")
					.formatted(LockNames.shown(lock.name()), LockPlan.maxWait(lock).toMillis(),
							LockNames.shown(lock.name())),
				null);
	}

}
