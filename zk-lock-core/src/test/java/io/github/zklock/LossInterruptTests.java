package io.github.zklock;

import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LossInterruptTests {

	private static final int RACES = 10_000;

	@AfterEach
	void leavesNothingBehind() {
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void interruptIsForTheBodyOnly() {
		LossInterrupt interrupt = new LossInterrupt();
		assertThat(interrupt.end()).isFalse();
		interrupt.run();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void everyBodyAroundIsInterruptedForItself() {
		LossInterrupt outermost = new LossInterrupt();
		LossInterrupt outer = new LossInterrupt();
		LossInterrupt inner = new LossInterrupt();
		outermost.run();
		inner.run();
		assertThat(inner.end()).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).as("by the outermost").isTrue();
		assertThat(outer.end()).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(outermost.end()).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void bodyAroundThatIsInterruptedLaterIsInterruptedForItself() {
		LossInterrupt outer = new LossInterrupt();
		LossInterrupt inner = new LossInterrupt();
		inner.run();
		outer.run();
		assertThat(inner.end()).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).as("by the one around").isTrue();
		assertThat(outer.end()).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfSomebodyElseIsAskedForAnew() {
		LossInterrupt outer = new LossInterrupt();
		LossInterrupt first = new LossInterrupt();
		Thread.currentThread().interrupt();
		first.run();
		assertThat(first.end()).isFalse();
		assertThat(Thread.interrupted()).isTrue();
		LossInterrupt second = new LossInterrupt();
		second.run();
		assertThat(second.end()).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(outer.end()).isFalse();
	}

	@Test
	void nestedInterruptIsNotThatOfTheBodyAround() {
		LossInterrupt outer = new LossInterrupt();
		LossInterrupt inner = new LossInterrupt();
		inner.run();
		assertThat(inner.end()).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(outer.end()).isFalse();
	}

	@Test
	void interruptOfSomebodyElseIsNotTakenBack() {
		LossInterrupt interrupt = new LossInterrupt();
		Thread.currentThread().interrupt();
		interrupt.run();
		assertThat(interrupt.end()).isFalse();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptOfSomebodyElseSurvivesABodyWithin() {
		LossInterrupt outer = new LossInterrupt();
		Thread.currentThread().interrupt();
		outer.run();
		LossInterrupt inner = new LossInterrupt();
		inner.run();
		inner.end();
		assertThat(outer.end()).isFalse();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void isOverWhenItsBodyHasEnded() {
		LossInterrupt interrupt = new LossInterrupt();
		assertThat(interrupt.isOver()).isFalse();
		interrupt.end();
		assertThat(interrupt.isOver()).isTrue();
	}

	/**
	 * The thread stands for one of a pool: when its two bodies have ended, it must not be
	 * interrupted any more, whoever has lost what, and however late.
	 */
	@Test
	void flagNeverOutlivesNestedBodies() throws Exception {
		Random random = new Random(42);
		ExecutorService losers = Executors.newFixedThreadPool(2);
		int interrupted = 0;
		try {
			for (int race = 0; race < RACES; race++) {
				LossInterrupt outer = new LossInterrupt();
				Future<?> outerLoss = losers.submit(() -> lose(outer, random.nextInt(200)));
				LossInterrupt inner = new LossInterrupt();
				Future<?> innerLoss = losers.submit(() -> lose(inner, random.nextInt(200)));
				spin(random.nextInt(200));
				// How the others end may depend on who gets a processor
				while (race % 100 == 0 && !Thread.currentThread().isInterrupted()) {
					Thread.onSpinWait();
				}
				boolean innerInterrupted = inner.end();
				spin(random.nextInt(200));
				boolean outerInterrupted = outer.end();
				assertThat(Thread.currentThread().isInterrupted()).as("race %d, at the end", race).isFalse();
				Patience.get(outerLoss);
				Patience.get(innerLoss);
				assertThat(Thread.currentThread().isInterrupted()).as("race %d, later", race).isFalse();
				interrupted += (innerInterrupted || outerInterrupted) ? 1 : 0;
			}
		}
		finally {
			losers.shutdownNow();
		}
		assertThat(interrupted).as("lost in time").isGreaterThanOrEqualTo(RACES / 100);
	}

	private static void lose(LossInterrupt interrupt, int spins) {
		spin(spins);
		interrupt.run();
	}

	private static void spin(int times) {
		for (int spin = 0; spin < times; spin++) {
			Thread.onSpinWait();
		}
	}

}
