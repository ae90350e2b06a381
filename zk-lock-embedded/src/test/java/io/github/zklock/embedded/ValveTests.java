package io.github.zklock.embedded;

import java.time.Duration;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ValveTests {

	private final Valve valve = new Valve();

	@Test
	void delayIsNotRoundedUpToMilliseconds() {
		long[] waits = LongStream.range(0, 100)
			.map((index) -> waitMicros(Duration.ofNanos(100_000)))
			.sorted()
			.toArray();
		assertThat(waits[0]).isGreaterThanOrEqualTo(100);
		assertThat(waits[waits.length / 4]).as("the waits in microseconds, of the faster ones").isLessThan(1_000);
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
