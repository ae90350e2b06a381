package io.github.zklock.embedded;

import java.time.Duration;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ValveTests {

	private final Valve valve = new Valve();

	@Test
	void delayIsNotRoundedUpToMilliseconds() {
		long shortest = LongStream.range(0, 100)
			.map((index) -> waitMicros(Duration.ofNanos(100_000)))
			.min()
			.orElseThrow();
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
