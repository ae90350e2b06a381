package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("H62")
class StrikesTests {

	// near the overflow of the nano clock
	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(10).toNanos());

	private final Strikes strikes = new Strikes(this.now::get);

	private void strike(int times) {
		for (int time = 0; time < times; time++) {
			this.strikes.add("/path");
		}
	}

	private void pass(Duration duration) {
		this.now.addAndGet(duration.toNanos());
	}

	@Test
	void thirdStrikeIsOut() {
		strike(2);
		assertThat(this.strikes.count("/path")).isEqualTo(2);
		assertThat(this.strikes.isOut("/path")).isFalse();
		assertThat(this.strikes.tryRead("/path")).isTrue();
		strike(1);
		assertThat(this.strikes.isOut("/path")).isTrue();
		assertThat(this.strikes.tryRead("/path")).isFalse();
		assertThat(this.strikes.isOut("/other")).isFalse();
	}

	@Test
	void answerClearsAll() {
		strike(2);
		this.strikes.clear("/path");
		strike(2);
		assertThat(this.strikes.isOut("/path")).isFalse();
	}

	@Test
	void oneMayTryAfterThePause() {
		strike(3);
		pass(Duration.ofSeconds(30).minusNanos(1));
		assertThat(this.strikes.tryRead("/path")).isFalse();
		pass(Duration.ofNanos(1));
		assertThat(this.strikes.isOut("/path")).isFalse();
		assertThat(this.strikes.tryRead("/path")).isTrue();
		assertThat(this.strikes.tryRead("/path")).as("somebody tries").isFalse();
		assertThat(this.strikes.isOut("/path")).isTrue();
		this.strikes.undecided("/path");
		assertThat(this.strikes.tryRead("/path")).as("that told nothing").isTrue();
		this.strikes.clear("/path");
		assertThat(this.strikes.tryRead("/path")).isTrue();
		assertThat(this.strikes.tryRead("/path")).isTrue();
	}

	@Test
	void pausesDoubleUpToFiveMinutes() {
		strike(2);
		for (long seconds : new long[] { 30, 60, 120, 240, 300, 300 }) {
			strike(1);
			pass(Duration.ofSeconds(seconds).minusNanos(1));
			assertThat(this.strikes.isOut("/path")).isTrue();
			pass(Duration.ofNanos(1));
			assertThat(this.strikes.tryRead("/path")).isTrue();
		}
	}

	@Test
	void forgetsTheEldestOfManyPaths() {
		for (int path = 0; path < 2_000; path++) {
			this.strikes.add("/path-" + path);
		}
		assertThat(this.strikes.count("/path-0")).isZero();
		assertThat(this.strikes.count("/path-1999")).isOne();
	}

}
