package io.github.zklock.spring;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks that are lost while the body of a call runs.
 */
class LockTemplateLossTests extends BlockingCallTestSupport {

	private static final LockOptions A = LockOptions.of("a");

	private static final LockOptions B = LockOptions.of("b");

	LockTemplateLossTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * Wait for ever.
	 */
	private static void block() throws InterruptedException {
		new CountDownLatch(1).await();
	}

	private static void awaitInterrupt() {
		spinUntil(Thread.currentThread()::isInterrupted);
	}

	// What the caller is told

	@Test
	void bodyRunsToItsEndAndTheCallFails() {
		StringBuilder done = new StringBuilder();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute("a", () -> {
			lose("a");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(CurrentLock::assertHeld);
			done.append("to the end");
		})).withMessageContaining("'a'").withNoCause().satisfies((ex) -> assertThat(ex.name()).isEqualTo("a"));
		assertThat(done).hasToString("to the end");
		assertThat(this.locks.lock("a").lease()).as("nothing is left to unlock").isEmpty();
		assertThat(isFree("a")).isTrue();
	}

	@Test
	void ignoredLossIsNotTold() {
		String result = this.template.execute(A.onLost(OnLost.IGNORE), () -> {
			lose("a");
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(this.locks.lock("a").lease()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(OnContention.class)
	void policyForContentionDoesNotMatter(OnContention policy) {
		LockOptions options = (policy == OnContention.FALLBACK) ? A.fallback((contention) -> "fallback")
				: A.onContention(policy);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(options, () -> lose("a")));
	}

	@ParameterizedTest
	@EnumSource(names = { "THROW", "IGNORE" })
	void bodysExceptionWins(OnLost onLost) {
		IOException failure = new IOException("from the body");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute(A.onLost(onLost), () -> {
			lose("a");
			throw failure;
		})).satisfies((ex) -> assertThat(ex).isSameAs(failure));
		if (onLost == OnLost.THROW) {
			assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		}
		else {
			assertThat(failure).hasNoSuppressedExceptions();
		}
	}

	@Test
	void lossThatTheBodyTellsIsToldOnce() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute("a", () -> {
			lose("a");
			CurrentLock.assertHeld();
		})).satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
	}

	@Test
	void lossOfAnotherLockIsAddedToTheOneThatTheBodyTells() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute("a", () -> {
			this.template.execute("b", () -> {
				lose("a");
				lose("b");
			});
		})).satisfies((ex) -> {
			assertThat(ex.name()).isEqualTo("b");
			assertThat(ex.getSuppressed()).singleElement()
				.isInstanceOfSatisfying(LockLostException.class, (lost) -> assertThat(lost.name()).isEqualTo("a"));
		});
	}

	@ParameterizedTest
	@EnumSource(OnLost.class)
	void eachOfSeveralLocksHasItsOwnPolicy(OnLost onLost) {
		List<LockOptions> options = List.of(A.onLost(OnLost.IGNORE), B.onLost(onLost));
		String result = this.template.execute(options, () -> {
			lose("a");
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		if (onLost != OnLost.IGNORE) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(options, () -> {
				loseMeanwhile("b");
				spinUntil(() -> !CurrentLock.lease("b").isHeld());
				return "done";
			}));
		}
		assertThat(isFree("a")).isTrue();
		assertThat(isFree("b")).isTrue();
	}

	// Interrupts

	@Test
	void lossInterruptsTheBody() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
				loseMeanwhile("a");
				block();
			}))
			.withMessageContaining("'a'")
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void causeIsWhateverTheInterruptedBodyThrows() {
		IllegalStateException failure = new IllegalStateException("interrupted, I guess");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
				loseMeanwhile("a");
				awaitInterrupt();
				throw failure;
			}))
			.havingCause()
			.satisfies((ex) -> assertThat(ex).isSameAs(failure));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void bodyThatDoesNotCareLosesItsFlag() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
				loseMeanwhile("a");
				awaitInterrupt();
				return "done";
			}))
			.withNoCause();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptEndsTheWaitOfANestedCall() {
		try (LockLease other = occupy("b")) {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
					call(() -> {
						awaitWaiting("b");
						return this.locks.breakLock("a");
					});
					return this.template.execute("b", () -> "ran");
				}))
				.withCauseInstanceOf(LockInterruptedException.class)
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo("a"));
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfSomebodyElseIsKept() {
		this.template.execute(A.onLost(OnLost.INTERRUPT), () -> Thread.currentThread().interrupt());
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void nestedInterruptDoesNotUseUpThatOfTheOuterBody() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> this.template.execute(B.onLost(OnLost.INTERRUPT), () -> {
						loseMeanwhile("a");
						awaitInterrupt();
						Thread.interrupted();
						loseMeanwhile("b");
						awaitInterrupt();
					}));
				block();
			}))
			.withCauseInstanceOf(InterruptedException.class)
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("a"));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	// Nested calls

	@Test
	void outermostCallIgnoresTheLossForAll() {
		String result = this.template.execute(A.onLost(OnLost.IGNORE), () -> {
			this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
				lose("a");
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
			});
			return this.template.execute(B, () -> "done");
		});
		assertThat(result).isEqualTo("done");
	}

	@Test
	void outermostCallTellsTheLossForAll() {
		StringBuilder done = new StringBuilder();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute("a", () -> {
			this.template.execute(A.onLost(OnLost.IGNORE), () -> lose("a"));
			done.append("after the nested call");
		}));
		assertThat(done).hasToString("after the nested call");
	}

	@Test
	void lostLockIsNotEnteredAgain() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(A.onLost(OnLost.IGNORE), () -> {
				lose("a");
				this.template.execute("a", () -> {
					throw new AssertionError("The body must not run");
				});
			}));
		assertThat(this.locks.lock("a").lease()).isEmpty();
	}

	@Test
	void callInsideAManualHoldAnswersForIt() {
		NamedLock lock = this.locks.lock("a");
		lock.lock();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(A.onLost(OnLost.INTERRUPT), () -> {
				loseMeanwhile("a");
				block();
			}))
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(lock.lease()).as("still to be unlocked").isPresent();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(lock.lease()).isEmpty();
	}

	/**
	 * The call around has given the lock back and knows nothing of the second hold.
	 */
	@Test
	void callAfterTheBodyHasEndedTheHoldAnswersForItsOwn() {
		this.template.execute(A.onLost(OnLost.IGNORE), () -> {
			CurrentLock.lease().close();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.execute("a", () -> lose("a")));
		});
	}

	@Test
	void locksOfTwoRegistriesAreNotTheSame() {
		ZooKeeperLocks other = closing(builder(serverAddress(), LONG_SESSION).root("/another-root").build());
		template(other).execute(A.onLost(OnLost.IGNORE), () -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute("a", () -> lose("a"))));
	}

	@Test
	void simulatedLockAnswersForNothing() {
		CurrentLock.simulate("a", () -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute("a", () -> lose("a"))));
	}

	// Without a helping hand: the connection is silent for too long

	@ParameterizedTest
	@EnumSource(OnLost.class)
	void silentConnectionIsALoss(OnLost onLost) throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks victim = closing(builder(proxy.connectString(), Duration.ofSeconds(4)).build());
		LockTemplate template = template(victim);
		CompletableFuture<String> result = call(() -> {
			try {
				return template.execute(A.onLost(onLost), () -> {
					proxy.hold(Direction.TO_SERVER);
					if (onLost == OnLost.INTERRUPT) {
						block();
					}
					spinUntil(() -> !CurrentLock.lease().isHeld());
					return "done";
				});
			}
			finally {
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				assertThat(victim.lock("a").lease()).isEmpty();
			}
		});
		if (onLost == OnLost.IGNORE) {
			assertThat(get(result)).isEqualTo("done");
		}
		else {
			assertThat(result).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class)
				.withRootCauseInstanceOf(
						(onLost == OnLost.INTERRUPT) ? InterruptedException.class : LockLostException.class);
		}
		proxy.heal();
		assertThat(template.<String, RuntimeException>execute("a", () -> "again")).isEqualTo("again");
	}

}
