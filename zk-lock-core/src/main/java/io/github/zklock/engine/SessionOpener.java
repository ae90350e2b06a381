package io.github.zklock.engine;

import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when the next session is opened: never two at once, and after a pause if the
 * sessions before ended before they were of use. If a session cannot be opened, it is
 * tried again until there is one.
 */
final class SessionOpener {

	private static final Logger logger = LoggerFactory.getLogger(SessionOpener.class);

	private final SessionKeeper keeper;

	private final EventLoop loop;

	private final Platform platform;

	private final BackOff backOff;

	// Whether a session is being opened, or there is one
	private final AtomicBoolean opening = new AtomicBoolean();

	// Written before a next session may be opened
	private volatile long openNotBefore;

	SessionOpener(SessionKeeper keeper) {
		this.keeper = keeper;
		this.loop = keeper.loop();
		this.platform = this.loop.platform();
		this.backOff = new BackOff(this.platform::nextDouble);
		this.openNotBefore = this.platform.nanoTime();
	}

	/**
	 * Open a session unless there is one already, connected or not. By any thread.
	 */
	void start() {
		if (this.keeper.mayOpen() && this.opening.compareAndSet(false, true)) {
			boolean done = false;
			try {
				this.keeper.connectionMissing();
				openSoon();
				done = true;
			}
			finally {
				if (!done) {
					this.opening.set(false);
				}
			}
		}
	}

	private void openSoon() {
		long pause = this.openNotBefore - this.platform.nanoTime();
		if (pause > 0) {
			this.loop.schedule(this::open, pause);
		}
		else {
			this.loop.execute(this::open);
		}
	}

	/**
	 * Open a session, and try again later if that fails, in whatever way: there may be no
	 * memory, or no thread for it.
	 */
	private void open() {
		if (!this.keeper.mayOpen() || this.keeper.session() != null) {
			return;
		}
		try {
			this.loop.pass("open");
			this.keeper.open();
		}
		catch (Throwable ex) {
			openLater();
			EventLoop
				.attempt(() -> logger.warn("No session with {} can be opened, trying again", this.keeper.place(), ex));
		}
	}

	private void openLater() {
		boolean done = false;
		try {
			this.loop.backOff(this::open);
			done = true;
		}
		finally {
			if (!done) {
				this.opening.set(false);
			}
		}
	}

	/**
	 * The session has ended: there may be no other before a pause is over.
	 */
	void pause() {
		this.openNotBefore = this.platform.nanoTime() + this.backOff.next();
	}

	/**
	 * Return how many sessions in a row have ended before they were of use.
	 */
	int failures() {
		return this.backOff.failures();
	}

	/**
	 * The session is of use: the next one is opened without a pause.
	 */
	void succeeded() {
		this.backOff.reset();
	}

	/**
	 * Let another session be opened: there is none, and none is being opened.
	 */
	void release() {
		this.opening.set(false);
	}

}
