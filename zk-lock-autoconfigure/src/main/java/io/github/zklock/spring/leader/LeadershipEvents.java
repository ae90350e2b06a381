package io.github.zklock.spring.leader;

import java.util.concurrent.TimeUnit;

import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.spring.LeadershipGrantedEvent;
import io.github.zklock.spring.LeadershipRevokedEvent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells the application of the leadership in one role. Its listeners are called on a
 * thread of the registry, so they may take their time.
 */
final class LeadershipEvents implements LeadershipListener {

	private static final Logger logger = LoggerFactory.getLogger(LeadershipEvents.class);

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final ApplicationEventPublisher publisher;

	private boolean granted;

	private volatile @Nullable Thread publishing;

	LeadershipEvents(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void granted(String role, long fencingToken) {
		setGranted(true);
		publish(new LeadershipGrantedEvent(role, fencingToken));
	}

	@Override
	public void revoked(String role, long fencingToken) {
		publish(new LeadershipRevokedEvent(role, fencingToken));
		setGranted(false);
	}

	private void publish(Object event) {
		this.publishing = Thread.currentThread();
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A listener of {} has failed", event, ex);
		}
		finally {
			this.publishing = null;
		}
	}

	boolean arePublishedBy(Thread thread) {
		return this.publishing == thread;
	}

	private synchronized void setGranted(boolean granted) {
		this.granted = granted;
		notifyAll();
	}

	/**
	 * Leadership is about to be given up, though listeners may not even have heard yet
	 * that it was granted.
	 */
	void expectRevocation() {
		setGranted(true);
	}

	/**
	 * Wait until listeners have heard of the end of a leadership, so that what they use
	 * is still there. A slow one is not waited for.
	 */
	synchronized void awaitRevoked() throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE_NANOS;
		long remaining = PATIENCE_NANOS;
		while (this.granted && remaining > 0) {
			wait(1 + TimeUnit.NANOSECONDS.toMillis(remaining));
			remaining = deadline - System.nanoTime();
		}
	}

}
