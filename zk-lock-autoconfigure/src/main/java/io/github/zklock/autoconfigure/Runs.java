package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.zklock.LockNames;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import org.jspecify.annotations.Nullable;

/**
 * The runs of an application's locks, one after the other. The first one begins when it
 * is needed, even before the start, so that beans can use locks while they are made.
 * Thread-safe.
 *
 * @param <R> the type of the runs
 */
final class Runs<R extends Run> {

	// How often an application may be restarted before a thread that has lost a lock by
	// it must have unlocked it
	private static final int REMEMBERED = 2;

	private final String place;

	private final Supplier<R> factory;

	private volatile @Nullable R current;

	private volatile List<R> former = List.of();

	private volatile boolean running;

	private volatile boolean stopped;

	private boolean destroyed;

	/**
	 * Create runs of which none has begun.
	 * @param place where the locks are, for people
	 * @param factory makes a run
	 */
	Runs(String place, Supplier<R> factory) {
		this.place = place;
		this.factory = factory;
	}

	/**
	 * Return the current run, a new one if there was none yet.
	 * @return the run, which may be about to end; null while stopped
	 */
	@Nullable R current() {
		R run = this.current;
		return (run != null || this.stopped) ? run : begin();
	}

	private @Nullable R begin() {
		// Makes beans, so it must not be done under a monitor
		R proposed = this.factory.get();
		synchronized (this) {
			if (this.current == null && !this.stopped) {
				this.current = proposed;
				return proposed;
			}
		}
		proposed.close();
		return this.current;
	}

	/**
	 * Say that there is no run.
	 * @param what what was asked for
	 */
	LockUnavailableException stopped(String what, String name) {
		return new LockUnavailableException(name,
				"""
						%s '%s' is unavailable from %s: the application has been stopped, after it has waited for those who hold \
						locks (zk.lock.shutdown.wait)"""
					.formatted(what, LockNames.shown(name), this.place),
				UnavailableReason.CLOSED, null);
	}

	/**
	 * Return the current run if it has begun.
	 */
	@Nullable R begun() {
		return this.current;
	}

	/**
	 * Return the latest runs that have ended, in which threads may still believe to hold
	 * something.
	 */
	List<R> former() {
		return this.former;
	}

	boolean isRunning() {
		return this.running;
	}

	synchronized void start() {
		if (this.destroyed) {
			throw new IllegalStateException("Locks cannot be started again after their bean was destroyed");
		}
		this.stopped = false;
		this.running = true;
	}

	synchronized void stop() {
		this.running = false;
		this.stopped = true;
		R ending = this.current;
		if (ending == null) {
			return;
		}
		try {
			ending.close();
		}
		finally {
			this.former = Stream.concat(Stream.of(ending), this.former.stream()).limit(REMEMBERED).toList();
			this.current = null;
		}
	}

	synchronized void destroy() {
		stop();
		this.destroyed = true;
	}

}
