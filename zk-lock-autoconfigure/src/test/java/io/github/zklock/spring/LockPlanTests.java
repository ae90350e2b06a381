package io.github.zklock.spring;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockMode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockPlanTests {

	private static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

	private static final LockOptions LOCK = LockOptions.of("a");

	private static LockOptions merge(LockOptions... locks) {
		List<LockOptions> merged = LockPlan.of(List.of(locks), DEFAULT_WAIT);
		assertThat(merged).hasSize(1);
		return merged.get(0);
	}

	@Test
	void waitDependsOnThePolicy() {
		assertThat(merge(LOCK).maxWait()).isEqualTo(DEFAULT_WAIT);
		assertThat(merge(LOCK.onContention(OnContention.SKIP)).maxWait()).isZero();
		assertThat(merge(LOCK.fallback((contention) -> "")).maxWait()).isZero();
		assertThat(merge(LOCK.onContention(OnContention.SKIP).maxWait(Duration.ofSeconds(1))).maxWait()).hasSeconds(1);
		assertThat(merge(LOCK.maxWait(Duration.ZERO)).maxWait()).isZero();
	}

	@Test
	void sortsByName() {
		List<LockOptions> locks = List.of(LockOptions.of("b"), LockOptions.of("B"), LockOptions.of("a-1"), LOCK);
		assertThat(LockPlan.of(locks, DEFAULT_WAIT)).extracting(LockOptions::name)
			.containsExactly("B", "a", "a-1", "b");
	}

	@Test
	void takesTheStrongerMode() {
		LockOptions read = LOCK.mode(LockMode.READ);
		assertThat(merge(read, LOCK).mode()).isEqualTo(LockMode.WRITE);
		assertThat(merge(LOCK, read).mode()).isEqualTo(LockMode.WRITE);
		assertThat(merge(read, read).mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void takesTheShortestWaitAndItsPolicy() {
		LockOptions patient = LOCK.maxWait(Duration.ofSeconds(2));
		LockOptions skipping = LOCK.maxWait(Duration.ofSeconds(1)).onContention(OnContention.SKIP);
		LockOptions falling = LOCK.fallback((contention) -> "");
		assertThat(merge(patient, skipping)).isEqualTo(skipping);
		assertThat(merge(skipping, patient)).isEqualTo(skipping);
		assertThat(merge(skipping, falling, patient)).isEqualTo(falling.maxWait(Duration.ZERO));
		assertThat(merge(LOCK, patient).onContention()).isEqualTo(OnContention.THROW);
	}

	@Test
	void takesTheLongestLeastTime() {
		LockOptions lingering = LOCK.minHold(Duration.ofSeconds(5)).maxWait(Duration.ofHours(1));
		assertThat(merge(lingering, LOCK).minHold()).hasSeconds(5);
		assertThat(merge(LOCK, lingering).minHold()).hasSeconds(5);
		assertThat(merge(LOCK, lingering).maxWait()).isEqualTo(DEFAULT_WAIT);
	}

	@Test
	void takesTheStrictestWayToTreatALoss() {
		LockOptions ignoring = LOCK.onLost(OnLost.IGNORE);
		LockOptions interrupting = LOCK.onLost(OnLost.INTERRUPT);
		assertThat(merge(ignoring, LOCK).onLost()).isEqualTo(OnLost.THROW);
		assertThat(merge(LOCK, ignoring).onLost()).isEqualTo(OnLost.THROW);
		assertThat(merge(interrupting, LOCK).onLost()).isEqualTo(OnLost.INTERRUPT);
		assertThat(merge(ignoring, interrupting, LOCK).onLost()).isEqualTo(OnLost.INTERRUPT);
		assertThat(merge(ignoring, ignoring).onLost()).isEqualTo(OnLost.IGNORE);
	}

	@Test
	void optionsAreChecked() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.of(""));
		assertThatIllegalArgumentException().isThrownBy(() -> LOCK.maxWait(Duration.ofMillis(-1)))
			.withMessageContainingAll("'a'", "maxWait");
		assertThatIllegalArgumentException().isThrownBy(() -> LOCK.minHold(Duration.ofMillis(-1)))
			.withMessageContainingAll("'a'", "minHold");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockOptions("a", LockMode.WRITE, null, OnContention.THROW, (contention) -> "",
					Duration.ZERO, OnLost.THROW))
			.withMessageContainingAll("'a'", "fallback");
	}

	@Test
	void anotherPolicyForgetsTheFallback() {
		assertThat(LOCK.fallback((contention) -> "").onContention(OnContention.SKIP).fallback()).isNull();
		LockOptions skipping = new LockOptions("a", LockMode.WRITE, null, OnContention.SKIP, (contention) -> "",
				Duration.ZERO, OnLost.THROW);
		assertThat(skipping.onContention(OnContention.FALLBACK).fallback()).isNull();
		assertThat(skipping.onContention(OnContention.SKIP)).isEqualTo(skipping);
	}

}
