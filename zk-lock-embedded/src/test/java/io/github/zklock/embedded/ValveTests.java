package io.github.zklock.embedded;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ValveTests {

	private final Valve valve = new Valve();

	@Test
	void delayIsNotRoundedUpToMilliseconds() {
		long start = System.nanoTime();
		long shortest = Long.MAX_VALUE;
		// A busy machine may let any of them wait for longer
		for (int wait = 0; wait < 100
				|| (shortest > 999 && System.nanoTime() - start < TestClient.PATIENCE.toNanos()); wait++) {
			shortest = Math.min(shortest, waitMicros(Duration.ofNanos(100_000)));
		}
		assertThat(shortest).as("microseconds").isBetween(100L, 999L);
	}

	private long waitMicros(Duration delay) {
		long start = System.nanoTime();
		try {
			this.valve.await(start + delay.toNanos(), () -> false, () -> {
			});
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
		return (System.nanoTime() - start) / 1_000;
	}

}
