package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pauses between attempts.
 */
class BackOffTests {

	@Test
	void firstAttemptComesAtOnceAndLaterOnesAfterLongerAndLongerPauses() {
		assertThat(millis(new BackOff(() -> 0), 10)).containsExactly(0L, 100L, 200L, 400L, 800L, 1600L, 3200L, 5000L,
				5000L, 5000L);
	}

	@Test
	void pausesAreShortenedByUpToOneHalf() {
		assertThat(millis(new BackOff(() -> 1), 10)).containsExactly(0L, 50L, 100L, 200L, 400L, 800L, 1600L, 2500L,
				2500L, 2500L);
	}

	@Test
	void successBeginsAnew() {
		BackOff backOff = new BackOff(() -> 0);
		millis(backOff, 100);
		assertThat(backOff.failures()).isEqualTo(100);
		backOff.reset();
		assertThat(backOff.failures()).isZero();
		assertThat(millis(backOff, 3)).containsExactly(0L, 100L, 200L);
	}

	private static List<Long> millis(BackOff backOff, int attempts) {
		return Stream.generate(backOff::next).limit(attempts).map(TimeUnit.NANOSECONDS::toMillis).toList();
	}

}
