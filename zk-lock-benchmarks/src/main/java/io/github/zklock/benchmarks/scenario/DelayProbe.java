package io.github.zklock.benchmarks.scenario;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

import io.github.zklock.benchmarks.contestant.Client;

/**
 * A thread that asks again and again how late a client is.
 */
final class DelayProbe implements AutoCloseable {

	private static final long PAUSE_MILLIS = 5;

	private final Client client;

	private final String heldLock;

	private final Thread thread = new Thread(this::probe, "delay-probe");

	private volatile long worstNanos = -1;

	/**
	 * Begin.
	 * @param heldLock the name of a lock that somebody of this client holds
	 */
	DelayProbe(Client client, String heldLock) {
		this.client = client;
		this.heldLock = heldLock;
		this.thread.setDaemon(true);
		this.thread.start();
	}

	private void probe() {
		try {
			while (!Thread.currentThread().isInterrupted()) {
				OptionalLong late = this.client.lateness(this.heldLock);
				if (late.isEmpty()) {
					return;
				}
				this.worstNanos = Math.max(this.worstNanos, late.getAsLong());
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
		}
		catch (Exception ex) {
			// at the end
		}
	}

	/**
	 * Add the worst delay so far, if the client has threads of its own.
	 */
	Sample addTo(Sample sample) {
		return (this.worstNanos >= 0) ? sample.with(Metric.DELAY, this.worstNanos / 1e6) : sample;
	}

	@Override
	public void close() throws InterruptedException {
		this.thread.interrupt();
		this.thread.join();
	}

}
