package io.github.zklock.spring;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.testing.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The end of a call, with locks that are lost at any moment and do not close as they
 * should.
 */
class LossInterruptTests {

	private static final int RACES = 10_000;

	private static final LockOptions INTERRUPTING = LockOptions.of("a").onLost(OnLost.INTERRUPT);

	private final FakeLocks locks = new FakeLocks();

	private final LockTemplate template = BlockingCallTestSupport.template(this.locks);

	private final ExecutorService loser = Executors.newSingleThreadExecutor();

	@AfterEach
	void leavesNothingBehind() {
		this.loser.shutdownNow();
		assertThat(Thread.interrupted()).isFalse();
		assertThat(LockStack.current()).isNull();
		assertThat(this.locks.held()).isEmpty();
	}

	/**
	 * The thread stands for one of a pool: after each call it must not be interrupted any
	 * more, however late the loss is told.
	 */
	@Test
	void flagNeverOutlivesTheCall() throws Exception {
		Random random = new Random(42);
		int told = 0;
		int interrupted = 0;
		for (int race = 0; race < RACES; race++) {
			int bodySpins = random.nextInt(400);
			int loserSpins = random.nextInt(400);
			// How the others end may depend on who gets a processor
			boolean certain = race % 100 == 0;
			Race run = new Race(loserSpins);
			try {
				interrupted += this.template.<Integer, RuntimeException>execute(INTERRUPTING, () -> {
					LockLease lease = CurrentLock.lease();
					run.start((FakeLocks.FakeLease) lease);
					spin(bodySpins);
					while (certain && lease.isHeld()) {
						Thread.onSpinWait();
					}
					return Thread.currentThread().isInterrupted() ? 1 : 0;
				});
			}
			catch (LockLostException ex) {
				told++;
			}
			assertThat(Thread.currentThread().isInterrupted()).as("race %d, at the return", race).isFalse();
			run.finish();
			assertThat(Thread.currentThread().isInterrupted()).as("race %d, later", race).isFalse();
		}
		assertThat(interrupted).as("interrupted, and not told").isZero();
		assertThat(told).as("lost in time").isPositive();
	}

	private static void spin(int times) {
		for (int spin = 0; spin < times; spin++) {
			Thread.onSpinWait();
		}
	}

	/**
	 * The body ends before the thread that interrupts it has told the caller.
	 */
	@Test
	void interruptedBodyOfAStageIsALossHoweverLateTheLossIsTold() throws Exception {
		CompletableFuture<FakeLocks.FakeLease> lease = new CompletableFuture<>();
		LockTemplate stages = new LockTemplate(this.locks, Duration.ZERO, (task) -> new StuckInterrupt(task).start());
		CompletableFuture<String> result = stages.executeAsync(INTERRUPTING, () -> {
			lease.complete((FakeLocks.FakeLease) CurrentLock.lease());
			try {
				Patience.await(new CountDownLatch(1));
				return CompletableFuture.completedFuture("not interrupted");
			}
			catch (InterruptedException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		});
		FakeLocks.FakeLease taken = Patience.get(lease);
		assertThatIllegalStateException().isThrownBy(taken::lose).withMessage("stuck");
		assertThat(result).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockLostException.class)
			.withCauseInstanceOf(InterruptedException.class);
	}

	@Test
	void leaseHasOneThingToDoHoweverOftenItIsEnteredAgain() {
		ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.template);
		Mono<Integer> again = reactive.mono(INTERRUPTING, () -> Mono.just(1));
		Mono<Long> actions = reactive.mono(INTERRUPTING, () -> {
			FakeLocks.FakeLease lease = (FakeLocks.FakeLease) CurrentLock.lease();
			return again.repeat(2).then(Mono.fromCallable(lease::actions));
		});
		assertThat(actions.block(PATIENCE)).isOne();
	}

	@Test
	void onlyCallsThatHaveNotEndedAreInterrupted() {
		FakeLocks.FakeLease lease = this.locks.new FakeLease("a");
		SharedLeases around = new SharedLeases();
		around.add(INTERRUPTING, lease);
		List<String> interrupted = new ArrayList<>();
		around.onInterruptingLoss((loss) -> interrupted.add("around"));
		Consumer<LockLostException> ended = (loss) -> interrupted.add("ended");
		enter(around, ended).forgetInterruptingLoss(ended);
		enter(around, (loss) -> interrupted.add("running"));
		lease.lose();
		assertThat(interrupted).containsExactly("around", "running");
		enter(around, (loss) -> interrupted.add("late"));
		assertThat(interrupted).containsExactly("around", "running", "late");
	}

	private static SharedLeases enter(SharedLeases around, Consumer<LockLostException> onLoss) {
		SharedLeases inside = new SharedLeases();
		assertThat(inside.enterAgain(around)).isTrue();
		inside.onInterruptingLoss(onLoss);
		return inside;
	}

	@Test
	void entryWithoutALeaseIsLeft() {
		this.locks.hideLeases();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute("a", () -> "entered"));
	}

	@Test
	void problemAtTheEndIsToldAndLeavesNoLock() {
		IllegalStateException problem = new IllegalStateException("cannot close");
		this.locks.failOnClose(problem);
		assertThatIllegalStateException()
			.isThrownBy(() -> this.template.execute(List.of(INTERRUPTING, LockOptions.of("b")), () -> "done"))
			.satisfies((ex) -> assertThat(ex).isSameAs(problem));
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void bodysExceptionWinsOverAProblemAtTheEnd() {
		IllegalStateException problem = new IllegalStateException("cannot close");
		this.locks.failOnClose(problem);
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute("a", () -> {
			throw new IOException();
		})).satisfies((ex) -> assertThat(ex).hasSuppressedException(problem));
	}

	@Test
	void lossWinsOverAProblemAtTheEnd() {
		IllegalStateException problem = new IllegalStateException("cannot close");
		this.locks.failOnClose(problem);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute("a", () -> {
			((FakeLocks.FakeLease) CurrentLock.lease()).lose();
		})).satisfies((ex) -> assertThat(ex).hasSuppressedException(problem));
	}

	/**
	 * Lets go of whoever interrupts it no more.
	 */
	private static final class StuckInterrupt extends Thread {

		StuckInterrupt(Runnable task) {
			super(task);
		}

		@Override
		public void interrupt() {
			super.interrupt();
			throw new IllegalStateException("stuck");
		}

	}

	/**
	 * One loss against one return.
	 */
	private final class Race {

		private final int spins;

		private volatile FakeLocks.@Nullable FakeLease lease;

		private final Future<?> loss;

		Race(int spins) {
			this.spins = spins;
			this.loss = LossInterruptTests.this.loser.submit(this::run);
		}

		void start(FakeLocks.FakeLease lease) {
			this.lease = lease;
		}

		private void run() {
			FakeLocks.FakeLease victim = this.lease;
			while (victim == null) {
				Thread.onSpinWait();
				victim = this.lease;
			}
			spin(this.spins);
			victim.lose();
		}

		void finish() throws Exception {
			Patience.get(this.loss);
		}

	}

}
