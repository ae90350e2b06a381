package io.github.zklock.embedded;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits for the n-th frame of a kind, counted from the rule's making, over all
 * connections.
 */
final class FrameRule implements FaultProxy.Trigger {

	private final Direction direction;

	private final Operation operation;

	private final RelayTraffic.Verdict verdict;

	private final AtomicInteger remaining;

	private final CountDownLatch fired = new CountDownLatch(1);

	FrameRule(Direction direction, Operation operation, int n, RelayTraffic.Verdict verdict) {
		if (n < 1) {
			throw new IllegalArgumentException("'n' must be positive but was " + n);
		}
		this.direction = direction;
		this.operation = operation;
		this.verdict = verdict;
		this.remaining = new AtomicInteger(n);
	}

	RelayTraffic.Verdict verdict() {
		return this.verdict;
	}

	/**
	 * Count a frame if it is of the kind in question.
	 * @return whether it is the one that this rule waits for
	 */
	boolean hits(Direction direction, Operation operation) {
		return direction == this.direction && this.operation.matches(operation)
				&& this.remaining.decrementAndGet() == 0;
	}

	void fire() {
		this.fired.countDown();
	}

	@Override
	public boolean hasFired() {
		return this.fired.getCount() == 0;
	}

	@Override
	public boolean await(Duration timeout) throws InterruptedException {
		return this.fired.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
	}

}
