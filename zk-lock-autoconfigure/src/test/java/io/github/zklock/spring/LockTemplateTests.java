package io.github.zklock.spring;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class LockTemplateTests extends BlockingCallTestSupport {

	private static final LockOptions A = LockOptions.of("a");

	private static final LockOptions B = LockOptions.of("b");

	LockTemplateTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private static Object mustNotRun() {
		throw new AssertionError("The body must not run");
	}

	private static LockOptions withPolicy(LockOptions options, OnContention policy) {
		return (policy == OnContention.FALLBACK) ? options.fallback((contention) -> "fallback")
				: options.onContention(policy);
	}

	// Running

	@Test
	void runsWhileItHoldsTheLock() {
		String result = this.template.execute("a", () -> {
			assertThat(isFree("a")).isFalse();
			assertThat(CurrentLock.lease("a").isHeld()).isTrue();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void runsTasksWithoutResult() {
		List<String> done = new ArrayList<>();
		this.template.execute("a", () -> {
			done.add("by name");
		});
		this.template.execute(A, () -> {
			done.add("by options");
		});
		boolean added = this.template.execute("a", () -> done.add("with a result"));
		assertThat(added).isTrue();
		assertThat(done).containsExactly("by name", "by options", "with a result");
	}

	@Test
	void bodysExceptionPassesWithItsType() {
		IOException failure = new IOException("from the body");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> failWith(failure))
			.satisfies((ex) -> assertThat(ex).isSameAs(failure))
			.satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
		assertThat(isFree("a")).isTrue();
	}

	/**
	 * Declares nothing but what the body may throw.
	 */
	private void failWith(IOException failure) throws IOException {
		this.template.execute("a", () -> {
			throw failure;
		});
	}

	@Test
	void readersRunTogether() throws Exception {
		LockOptions read = A.mode(LockMode.READ);
		this.template.execute(read, () -> {
			assertThat(get(call(() -> this.template.execute(read, () -> "together")))).isEqualTo("together");
			assertThat(isFree("a")).isFalse();
		});
	}

	// Contention

	@Test
	void contentionThrows() {
		try (LockLease other = occupy("a")) {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockTimeoutException.class)
				.isThrownBy(
						() -> this.template.execute(A.maxWait(Duration.ofMillis(1005)), LockTemplateTests::mustNotRun))
				.withMessageContainingAll("'a'", "1005 ms", "maxWait", "zk.lock.max-wait")
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo("a"));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(1005));
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.events.awaitRefusal().name()).isEqualTo("a");
	}

	@Test
	void defaultWaitIsTheTemplates() {
		LockTemplate impatient = new LockTemplate(new AnsweredLocks(this.locks), Duration.ofMillis(1005),
				Runnable::run);
		try (LockLease other = occupy("a")) {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockTimeoutException.class)
				.isThrownBy(() -> impatient.execute("a", LockTemplateTests::mustNotRun))
				.withMessageContaining("1005 ms");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(1005));
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.events.awaitRefusal().waited()).as("not the other template's").isLessThan(PATIENCE);
	}

	@ParameterizedTest
	@EnumSource(names = { "SKIP", "FALLBACK" })
	void whoeverHasAnotherWayDoesNotWait(OnContention policy) {
		Object result;
		try (LockLease other = occupy("a")) {
			result = this.template.execute(withPolicy(A, policy), LockTemplateTests::mustNotRun);
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(result).isEqualTo((policy == OnContention.SKIP) ? null : "fallback");
		assertThat(this.events.awaitRefusal().waited()).as("not the template's").isLessThan(PATIENCE);
	}

	@ParameterizedTest
	@EnumSource(OnContention.class)
	void explicitWaitWins(OnContention policy) throws Exception {
		CompletableFuture<String> result;
		try (LockLease other = occupy("a")) {
			result = call(() -> this.template.execute(withPolicy(A, policy).maxWait(PATIENCE), () -> "ran"));
			awaitWaiting("a");
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(get(result)).isEqualTo("ran");
	}

	@Test
	void fallbackKnowsWhyAndHoldsNothing() {
		try (LockLease other = occupy("b")) {
			String result = this.template.execute(List.of(B.fallback((contention) -> {
				assertThat(this.locks.held()).isEmpty();
				assertThatIllegalStateException().isThrownBy(CurrentLock::lease);
				return contention.name();
			}), A), () -> "ran");
			assertThat(result).isEqualTo("b");
			assertThat(other.isHeld()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(OnContention.class)
	void unavailableAlwaysThrows(OnContention policy) {
		ZooKeeperLocks closed = registry();
		closed.close();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> template(closed).execute(withPolicy(A, policy), LockTemplateTests::mustNotRun))
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("a"));
	}

	@ParameterizedTest
	@EnumSource(OnContention.class)
	void interruptedAlwaysThrows(OnContention policy) {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> this.template.execute(withPolicy(A, policy), LockTemplateTests::mustNotRun))
			.withMessageContaining("'a'")
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.interrupted()).as("the flag is set again").isTrue();
	}

	@Test
	void interruptedWhileItWaitsLeavesTheQueue() throws Exception {
		CompletableFuture<Thread> waiter = new CompletableFuture<>();
		try (LockLease other = occupy("b")) {
			CompletableFuture<Boolean> flag = call(() -> {
				waiter.complete(Thread.currentThread());
				try {
					this.template.execute(List.of(A, B), LockTemplateTests::mustNotRun);
					return false;
				}
				catch (LockInterruptedException ex) {
					assertThat(ex.name()).isEqualTo("b");
					return Thread.interrupted();
				}
			});
			awaitWaiting("b");
			assertThat(isFree("a")).isFalse();
			get(waiter).interrupt();
			assertThat(get(flag)).isTrue();
			assertThat(isFree("a")).isTrue();
			assertThat(this.locks.waiting()).isEmpty();
			assertThat(other.isHeld()).isTrue();
		}
	}

	// Several locks

	@Test
	void severalLocksAreTakenInTheOrderOfTheirNames() {
		List<LockOptions> options = List.of(LockOptions.of("c"), A, LockOptions.of("d"), B);
		this.template.execute(options, () -> {
			assertThat(List.of("a", "b", "c", "d")).noneMatch(this::isFree);
		});
		assertThat(this.events.awaitGranted(4)).containsExactly("a", "b", "c", "d");
		assertThat(List.of("a", "b", "c", "d")).allMatch(this::isFree);
	}

	@Test
	void oppositeOrdersNeverDeadlock() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		CompletableFuture<Integer> first = call(() -> enterBoth(this.template, List.of(A, B), inside));
		CompletableFuture<Integer> second = call(() -> enterBoth(this.template, List.of(B, A), inside));
		CompletableFuture<Integer> third = call(() -> enterBoth(template(this.elsewhere), List.of(B, A), inside));
		assertThat(List.of(get(first), get(second), get(third))).containsOnly(30);
	}

	private static int enterBoth(LockTemplate template, Collection<LockOptions> options, AtomicInteger inside) {
		int rounds = 0;
		while (rounds < 30) {
			rounds += template.execute(options, () -> {
				assertThat(inside.incrementAndGet()).isOne();
				inside.decrementAndGet();
				return 1;
			});
		}
		return rounds;
	}

	@Test
	void waitsCountFromTheStartOfTheCall() throws Exception {
		Duration wait = Duration.ofSeconds(3);
		try (LockLease other = occupy("b")) {
			CompletableFuture<String> result;
			try (LockLease first = occupy("a")) {
				long start = System.nanoTime();
				result = call(() -> this.template.execute(List.of(A, B.maxWait(wait)), () -> "ran"));
				awaitWaiting("a");
				await().atMost(PATIENCE).until(() -> System.nanoTime() - start > wait.toNanos());
				assertThat(first.isHeld()).isTrue();
			}
			assertThat(result).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockTimeoutException.class)
				.withMessageContaining("'b'");
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.events.awaitRefusal().name()).isEqualTo("b");
		assertThat(this.events.awaitRefusal().waited()).as("what was left of it").isLessThan(wait);
	}

	@Test
	void whatWasGotIsGivenBackAtOnce() {
		LockOptions lingering = A.minHold(Duration.ofHours(1));
		LockOptions skipping = B.onContention(OnContention.SKIP);
		try (LockLease other = occupy("b")) {
			assertThat(this.template.execute(List.of(lingering, skipping), LockTemplateTests::mustNotRun)).isNull();
			assertThat(isFree("a")).isTrue();
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.events.awaitGranted(1)).containsExactly("a");
	}

	@Test
	void whatWasHeldBeforeIsKept() {
		this.template.execute("a", () -> {
			try (LockLease other = occupy("b")) {
				List<LockOptions> both = List.of(A, B.onContention(OnContention.SKIP));
				assertThat(this.template.execute(both, LockTemplateTests::mustNotRun)).isNull();
				assertThat(other.isHeld()).isTrue();
			}
			assertThat(isFree("a")).isFalse();
			CurrentLock.assertHeld("a");
		});
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void policyOfTheLockThatWasNotGotApplies() {
		LockOptions skipping = A.onContention(OnContention.SKIP);
		LockOptions falling = B.fallback((contention) -> "fallback");
		try (LockLease other = occupy("b")) {
			Object result = this.template.execute(List.of(skipping, falling), LockTemplateTests::mustNotRun);
			assertThat(result).isEqualTo("fallback");
			assertThat(other.isHeld()).isTrue();
		}
		try (LockLease other = occupy("a")) {
			Object result = this.template.execute(List.of(skipping, falling), LockTemplateTests::mustNotRun);
			assertThat(result).isNull();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void sameNameTwiceIsOneLockInTheStrongerMode() {
		this.template.execute(List.of(A.mode(LockMode.READ), A, A.mode(LockMode.READ)), () -> {
			assertThat(new AnsweredLocks(this.elsewhere).readLock("a").tryLock()).isFalse();
		});
		assertThat(this.events.awaitGranted(1)).containsExactly("a");
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void mistakesAreToldBeforeAnyLockIsTaken() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.execute(List.of(), LockTemplateTests::mustNotRun));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.template.execute(List.of(A, B.onContention(OnContention.FALLBACK)),
					LockTemplateTests::mustNotRun))
			.withMessageContainingAll("'b'", "fallback");
		assertThat(this.events.granted()).isEmpty();
	}

	// Entering again

	@Test
	void nestedCallEntersAgainAndOnlyTheOutermostLeaves() {
		this.template.execute("a", () -> {
			LockLease outer = CurrentLock.lease();
			this.template.execute("a", () -> {
				assertThat(CurrentLock.lease()).isSameAs(outer);
				this.template.execute(List.of(B, A), () -> {
					assertThat(CurrentLock.lease("a")).isSameAs(outer);
					assertThat(CurrentLock.lease("b").isHeld()).isTrue();
				});
				assertThat(isFree("b")).isTrue();
			});
			assertThat(isFree("a")).isFalse();
			CurrentLock.assertHeld();
		});
		assertThat(isFree("a")).isTrue();
		assertThat(this.events.awaitGranted(2)).containsExactly("a", "b");
	}

	@Test
	void registrysLockInsideEntersAgain() throws Exception {
		this.template.execute("a", () -> {
			NamedLock lock = this.locks.lock("a");
			assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
			assertThat(lock.lease()).containsSame(CurrentLock.lease());
			lock.unlock();
			assertThat(isFree("a")).isFalse();
		});
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void callInsideAManualHoldEntersAgain() {
		NamedLock lock = this.locks.lock("a");
		lock.lock();
		LockLease lease = lock.lease().orElseThrow();
		this.template.execute(A.minHold(Duration.ofHours(1)), () -> assertThat(CurrentLock.lease("a")).isSameAs(lease));
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		assertThat(isFree("a")).isFalse();
		lock.unlock();
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void readInsideWriteEntersAgain() {
		this.template.execute("a", () -> {
			this.template.execute(A.mode(LockMode.READ), () -> CurrentLock.assertHeld("a"));
			assertThat(new AnsweredLocks(this.elsewhere).readLock("a").tryLock()).as("still exclusive").isFalse();
		});
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void writeInsideReadIsAMistake() {
		LockOptions read = A.mode(LockMode.READ);
		this.template.execute(read, () -> {
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(() -> this.template.execute(List.of(A, B), LockTemplateTests::mustNotRun))
				.withMessageContaining("'a'");
			CurrentLock.assertHeld("a");
			this.template.execute(read, () -> CurrentLock.assertHeld("a"));
		});
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void otherThreadDoesNotEnterAgain() throws Exception {
		LockOptions skipping = A.onContention(OnContention.SKIP);
		this.template.execute("a",
				() -> assertThat(get(call(() -> this.template.execute(skipping, LockTemplateTests::mustNotRun))))
					.isNull());
	}

	// Bodies that do what they should not

	@Test
	void entryThatTheBodyForgetsEndsWithTheCall() {
		this.template.execute("a", () -> {
			this.template.execute("a", () -> this.locks.lock("a").lock());
			this.locks.readLock("a").lock();
		});
		assertThat(this.locks.lock("a").lease()).isEmpty();
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void bodyThatEndsTheHoldHasEndedIt() {
		String result = this.template.execute("a", () -> {
			CurrentLock.lease().close();
			assertThat(isFree("a")).isTrue();
			assertThatIllegalStateException().isThrownBy(CurrentLock::assertHeld).withMessageContaining("'a'");
			return "done";
		});
		assertThat(result).isEqualTo("done");
	}

	@Test
	void callAfterTheBodyHasEndedTheHoldTakesTheLockAnew() {
		this.template.execute("a", () -> {
			LockLease ended = CurrentLock.lease();
			ended.close();
			this.template.execute(A.minHold(Duration.ofMillis(1)), () -> {
				assertThat(CurrentLock.lease("a")).isNotSameAs(ended);
				assertThat(isFree("a")).isFalse();
			});
			await().atMost(PATIENCE).until(() -> isFree("a"));
			assertThatIllegalStateException().isThrownBy(CurrentLock::assertHeld);
		});
		assertThat(this.events.awaitGranted(2)).containsExactly("a", "a");
	}

	@Test
	void bodyThatUnlocksTooOftenHasEndedTheHold() {
		this.template.execute("a", () -> {
			this.template.execute("a", () -> this.locks.lock("a").unlock());
			assertThat(isFree("a")).isTrue();
		});
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void endedHoldOfOneLockLeavesTheOthersAlone() {
		this.template.execute(List.of(A, B), () -> {
			CurrentLock.lease("b").close();
			assertThat(isFree("b")).isTrue();
			CurrentLock.assertHeld("a");
		});
		assertThat(isFree("a")).isTrue();
	}

	// Lingering

	@Test
	void lingersForEverybody() throws Exception {
		LockOptions skipping = A.onContention(OnContention.SKIP);
		this.template.execute(A.minHold(Duration.ofHours(1)), () -> CurrentLock.assertHeld("a"));
		assertThat(this.locks.lock("a").lease()).isEmpty();
		assertThat(this.template.execute(skipping, LockTemplateTests::mustNotRun)).as("the same thread").isNull();
		assertThat(get(call(() -> this.template.execute(skipping, LockTemplateTests::mustNotRun)))).isNull();
		assertThat(isFree("a")).as("another instance").isFalse();
		this.locks.close();
		assertThat(isFree("a")).as("shutdown ends it early").isTrue();
	}

	@Test
	void lingersUntilTheTimeSinceTheGrantHasPassed() {
		Duration minHold = Duration.ofMillis(300);
		long start = System.nanoTime();
		this.template.execute(A.minHold(minHold), () -> CurrentLock.assertHeld("a"));
		this.template.execute("a", () -> {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(minHold);
		});
		this.template.execute(B.minHold(minHold), () -> {
			long granted = System.nanoTime();
			await().atMost(PATIENCE).until(() -> System.nanoTime() - granted > minHold.toNanos());
		});
		assertThat(isFree("b")).as("the body took longer").isTrue();
	}

	@Test
	void lingersAfterAFailureToo() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.template.execute(A.minHold(Duration.ofHours(1)), () -> {
				throw new IOException();
			}));
		assertThat(isFree("a")).isFalse();
		this.locks.close();
	}

	@Test
	void leastTimeOfANestedCallDoesNotCount() {
		this.template.execute("a",
				() -> this.template.execute(A.minHold(Duration.ofHours(1)), () -> CurrentLock.assertHeld("a")));
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void worksOnAThreadThatHasLostTheLockBefore() {
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.execute("a", () -> lose("a")));
		assertThat(this.template.<String, RuntimeException>execute("a", () -> "again")).isEqualTo("again");
	}

}
