package io.github.zklock.spring.leader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.LockAction;
import io.github.zklock.spring.LockOptions;
import io.github.zklock.spring.LockTemplate;
import io.github.zklock.spring.OnLost;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What runs only while this process leads, and what becomes of it if it does not any
 * more.
 */
class LeadershipExecutionTests extends LeaderTestSupport {

	private final TestApplication application = leader("zk.lock.leader.hand-over-wait=0s");

	private final Leadership leadership = this.application.leadership(ROLE);

	private final LosableLeadership losable = new LosableLeadership();

	LeadershipExecutionTests(@ConnectString String connectString) {
		super(connectString);
	}

	private LeadershipExecution execution(OnLost onLost) {
		return this.application.roles().execution(ROLE, onLost);
	}

	@AfterEach
	void closeLosable() {
		this.losable.close();
	}

	private LeadershipExecution losable(OnLost onLost) {
		return new LeadershipExecution(this.losable.leadership(), onLost);
	}

	/**
	 * Lose leadership for good, by a hand-over that waits for nobody.
	 */
	private void lose() throws Exception {
		get(beginToLose());
	}

	private CompletableFuture<Boolean> beginToLose() {
		return run(() -> this.application.election(ROLE).leave());
	}

	private static <E extends Exception> LockAction<String, E> skipped() {
		return () -> "skipped";
	}

	/**
	 * Wait for an interrupt that has to come.
	 */
	private static void awaitInterrupt() throws InterruptedException {
		Patience.await(new CountDownLatch(1));
	}

	// With a lock inside

	private String runLocked(LockAction<String, Exception> body) throws Exception {
		LockTemplate template = new LockTemplate(this.application.registry(), PATIENCE, Runnable::run);
		return template.execute(LockOptions.of("lock").onLost(OnLost.INTERRUPT), body);
	}

	private void beginToLoseTheLock() {
		run(() -> this.application.registry().breakLock("lock"));
	}

	/**
	 * Run something on a thread that counts its interrupts.
	 * @return how often it was interrupted, if it is not any more
	 */
	private static int interruptsOf(LockAction<?, Exception> action) throws Exception {
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		CountedThread thread = new CountedThread(() -> {
			try {
				action.run();
				interrupted.complete(Thread.currentThread().isInterrupted());
			}
			catch (Throwable ex) {
				interrupted.completeExceptionally(ex);
			}
		});
		thread.start();
		assertThat(get(interrupted)).as("flag is left behind").isFalse();
		return thread.interrupts.get();
	}

	@Test
	void lossOfTheLockInsideInterruptsOnce() throws Exception {
		LeadershipExecution execution = execution(OnLost.INTERRUPT);
		assertThat(interruptsOf(() -> execution.run(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> runLocked(() -> {
				beginToLoseTheLock();
				awaitInterrupt();
				return "not interrupted";
			}))
				.withCauseInstanceOf(InterruptedException.class)
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo("lock"));
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(this.leadership.isLeader()).isTrue();
			return "led";
		}, skipped()))).isOne();
	}

	@Test
	void lossOfTheRoleAroundALockInterruptsOnce() throws Exception {
		LeadershipExecution execution = execution(OnLost.INTERRUPT);
		assertThat(interruptsOf(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> execution.run(() -> runLocked(() -> {
				beginToLose();
				awaitInterrupt();
				return "not interrupted";
			}), skipped()))
				.withCauseInstanceOf(InterruptedException.class)
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo(ROLE));
			return "told";
		})).isOne();
		assertThat(this.application.registry().held()).isEmpty();
	}

	@Test
	void lossOfRoleAndLockLeavesNoInterruptBehind() throws Exception {
		LeadershipExecution execution = execution(OnLost.INTERRUPT);
		assertThat(interruptsOf(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> execution.run(() -> {
				try {
					return runLocked(() -> {
						beginToLoseTheLock();
						beginToLose();
						CountedThread.awaitInterrupts(2);
						return "done";
					});
				}
				catch (LockLostException ex) {
					assertThat(ex.name()).isEqualTo("lock");
					assertThat(Thread.currentThread().isInterrupted()).as("for the role").isTrue();
					throw ex;
				}
			}, skipped())).satisfies((ex) -> assertThat(ex.name()).isEqualTo(ROLE));
			return "told";
		})).isGreaterThanOrEqualTo(2);
	}

	// By an injected leadership

	@Test
	void injectedLeadershipRunsWorkWhileLeading() throws Exception {
		AtomicInteger runs = new AtomicInteger();
		assertThat(this.leadership.run(() -> assertThat(this.leadership.run(runs::incrementAndGet)).isTrue())).isTrue();
		assertThat(runs).hasValue(1);
		IllegalStateException failure = new IllegalStateException("broken");
		assertThatIllegalStateException().isThrownBy(() -> this.leadership.run(() -> {
			throw failure;
		})).isSameAs(failure);
		lose();
		assertThat(this.leadership.run(runs::incrementAndGet)).isFalse();
		assertThat(runs).hasValue(1);
	}

	@Test
	void injectedLeadershipInterruptsWorkWhenItIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.leadership.run(() -> {
			beginToLose();
			try {
				awaitInterrupt();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("interrupted");
			}
		})).withCauseInstanceOf(IllegalStateException.class).withMessageContaining("'orders'");
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void injectedLeadershipTellsOfALossInTheEndOfNestedWorkToo() {
		Leadership injected = this.losable.leadership();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> injected.run(() -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> injected.run(this.losable::lose));
			assertThat(injected.run(() -> {
			})).isFalse();
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.losable.awaitNoWork();
	}

	@Test
	void nestedWorkOfAnInjectedLeadershipIsNotToldOfAnIgnoredLoss() throws Exception {
		Leadership injected = this.losable.leadership();
		IOException own = new IOException("own");
		assertThat(new LeadershipExecution(injected, OnLost.IGNORE).<String, Exception>run(() -> {
			assertThat(injected.run(this.losable::lose)).isTrue();
			assertThat(injected.run(() -> {
			})).as("a later term").isFalse();
			return "done";
		}, skipped())).isEqualTo("done");
		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> new LeadershipExecution(injected, OnLost.IGNORE)
				.<Boolean, RuntimeException>run(() -> injected.run(() -> {
					this.losable.lose();
					throw new UncheckedIOException(own);
				}), () -> false))
			.satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
		this.losable.awaitNoWork();
	}

	@Test
	void nestedWorkOfAnInjectedLeadershipIsToldOfALossAsTheOutermost() {
		Leadership injected = this.losable.leadership();
		LeadershipExecution execution = new LeadershipExecution(injected, OnLost.THROW);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(
					() -> execution.<Boolean, RuntimeException>run(() -> injected.run(this.losable::lose), () -> false))
			.satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
		assertThatExceptionOfType(UncheckedIOException.class)
			.isThrownBy(() -> execution.<Boolean, RuntimeException>run(() -> injected.run(() -> {
				this.losable.lose();
				throw new UncheckedIOException(new IOException("own"));
			}), () -> false))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		this.losable.awaitNoWork();
	}

	// On a thread

	@ParameterizedTest
	@EnumSource
	void runsWhileLeading(OnLost onLost) throws Exception {
		assertThat(execution(onLost).run(() -> "done", skipped())).isEqualTo("done");
		lose();
		assertThat(execution(onLost).run(() -> "done", skipped())).isEqualTo("skipped");
	}

	@ParameterizedTest
	@EnumSource
	void failureGoesToTheCaller(OnLost onLost) {
		IOException own = new IOException("own");
		assertThatIOException().isThrownBy(() -> execution(onLost).run(() -> {
			throw own;
		}, skipped())).isSameAs(own).satisfies((ex) -> assertThat(ex).hasNoSuppressedExceptions());
	}

	@Test
	void interruptsWhenLeadershipIsLost() {
		InterruptedException[] cause = new InterruptedException[1];
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> execution(OnLost.INTERRUPT).<String, Exception>run(() -> {
				beginToLose();
				try {
					awaitInterrupt();
				}
				catch (InterruptedException ex) {
					cause[0] = ex;
					throw ex;
				}
				return "not interrupted";
			}, skipped()))
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo(ROLE))
			.withMessageContaining("'orders'")
			.satisfies((ex) -> assertThat(ex).cause().isSameAs(cause[0]));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptThatTheBodyKeepsIsTakenBack() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> execution(OnLost.INTERRUPT).<String, Exception>run(() -> {
				beginToLose();
				while (!Thread.currentThread().isInterrupted()) {
					Thread.onSpinWait();
				}
				return "done";
			}, skipped()))
			.withNoCause();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void interruptOfSomebodyElseStays() {
		assertThatIOException().isThrownBy(() -> losable(OnLost.INTERRUPT).<String, Exception>run(() -> {
			Thread.currentThread().interrupt();
			this.losable.lose();
			throw new IOException("own");
		}, skipped()))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void throwsInTheEnd() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> execution(OnLost.THROW).<String, Exception>run(() -> {
				lose();
				return "done";
			}, skipped()))
			.withNoCause();
	}

	@Test
	void failureOfTheBodyWinsAndMentionsTheLoss() {
		assertThatIOException().isThrownBy(() -> execution(OnLost.THROW).<String, Exception>run(() -> {
			lose();
			throw new IOException("own");
		}, skipped()))
			.withMessage("own")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	void ignoresTheLoss() throws Exception {
		assertThat(execution(OnLost.IGNORE).<String, Exception>run(() -> {
			lose();
			return "done";
		}, skipped())).isEqualTo("done");
	}

	@Test
	void answersAreAboutTheTermInWhichTheBodyBegan() throws Exception {
		String answers = execution(OnLost.IGNORE).<String, Exception>run(() -> {
			long token = this.leadership.fencingToken();
			assertThat(this.leadership.isLeader()).isTrue();
			assertThat(this.leadership.since()).isPresent();
			lose();
			this.application.election(ROLE).join();
			assertThat(get(call(() -> {
				awaitLeader(this.leadership);
				return this.leadership.fencingToken();
			}))).as("outside").isGreaterThan(token);
			assertThat(this.leadership.isLeader()).isFalse();
			assertThat(this.leadership.since()).isEmpty();
			assertThat(this.leadership.begin()).isEmpty();
			assertThat(this.leadership.run(() -> {
			})).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(this.leadership::fencingToken);
			return execution(OnLost.IGNORE).run(() -> "again", skipped());
		}, skipped());
		assertThat(answers).isEqualTo("skipped");
		assertThat(this.leadership.isLeader()).as("outside").isTrue();
	}

	@Test
	void nestedCallsGoOnWhileOthersWaitForTheOutermost() throws Exception {
		TestApplication patient = follower(this.application);
		lose();
		awaitLeader(patient.leadership(ROLE));
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch leaving = new CountDownLatch(1);
		CompletableFuture<String> outer = call(() -> patient.roles().execution(ROLE, OnLost.INTERRUPT).run(() -> {
			started.countDown();
			leaving.await();
			assertThat(patient.leadership(ROLE).run(() -> {
			})).as("by an injected leadership").isTrue();
			return patient.roles().execution(ROLE, OnLost.THROW).run(() -> "nested", skipped());
		}, skipped()));
		started.await();
		CompletableFuture<Boolean> stopping = run(patient.roles()::stop);
		awaitNotLeader(patient.leadership(ROLE));
		leaving.countDown();
		assertThat(get(outer)).isEqualTo("nested");
		get(stopping);
	}

	/**
	 * A thread is never interrupted for an earlier call.
	 */
	@Test
	void interruptsOnlyWhileTheBodyRuns() throws Exception {
		LeadershipExecution execution = losable(OnLost.INTERRUPT);
		int races = 10_000;
		CyclicBarrier barrier = new CyclicBarrier(2);
		CompletableFuture<Void> loser = call(() -> {
			for (int race = 0; race < races; race++) {
				barrier.await();
				this.losable.loseHere();
				barrier.await();
			}
			return null;
		});
		int lost = 0;
		int spins = 0;
		for (int race = 0; race < races; race++) {
			int busy = spins++ % 200;
			// How the others end may depend on who gets a processor
			boolean certain = race % 100 == 0;
			try {
				execution.<String, Exception>run(() -> {
					barrier.await();
					for (int spin = 0; spin < busy; spin++) {
						Thread.onSpinWait();
					}
					while (certain && !Thread.currentThread().isInterrupted()) {
						Thread.onSpinWait();
					}
					return "done";
				}, skipped());
			}
			catch (LockLostException ex) {
				lost++;
			}
			assertThat(Thread.currentThread().isInterrupted()).as("race %d", race).isFalse();
			barrier.await();
			assertThat(Thread.currentThread().isInterrupted()).as("after race %d", race).isFalse();
		}
		get(loser);
		this.losable.awaitNoWork();
		assertThat(lost).as("lost").isPositive();
	}

	// Without a thread

	@ParameterizedTest
	@EnumSource
	void leadsUntilTheStageIsComplete(OnLost onLost) throws Exception {
		TestApplication patient = follower(this.application);
		lose();
		awaitLeader(patient.leadership(ROLE));
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = patient.roles().execution(ROLE, onLost).runAsync(() -> stage, () -> stage);
		CompletableFuture<Boolean> stopping = run(patient.roles()::stop);
		awaitNotLeader(patient.leadership(ROLE));
		assertThat(stopping).isNotDone();
		stage.complete("done");
		assertThat(get(result)).isEqualTo("done");
		get(stopping);
	}

	@Test
	void stageOfOneWhoDoesNotLeadIsSkipped() throws Exception {
		lose();
		LeadershipExecution execution = execution(OnLost.THROW);
		assertThat(get(execution.runAsync(() -> CompletableFuture.completedFuture("done"),
				() -> CompletableFuture.completedFuture("skipped"))))
			.isEqualTo("skipped");
		assertThat(execution.runAsync(() -> CompletableFuture.completedFuture("done"), () -> {
			throw new IOException("refused");
		})).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(IOException.class);
	}

	@Test
	void lossCancelsTheStage() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execution(OnLost.INTERRUPT).runAsync(() -> stage, () -> stage);
		lose();
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		// The caller's future is first
		await().atMost(PATIENCE).until(stage::isCancelled);
	}

	@Test
	void lossFailsTheStageInTheEnd() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execution(OnLost.THROW).runAsync(() -> stage, () -> stage);
		lose();
		assertThat(result).isNotDone();
		stage.complete("done");
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void failureOfTheStageWinsAndMentionsTheLoss() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execution(OnLost.THROW).runAsync(() -> stage.thenApply(String::trim),
				() -> stage);
		lose();
		IOException own = new IOException("own");
		stage.completeExceptionally(own);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join).havingCause().isSameAs(own);
		assertThat(own.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void lossOfTheStageIsIgnored() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execution(OnLost.IGNORE).runAsync(() -> stage, () -> stage);
		lose();
		stage.complete("done");
		assertThat(get(result)).isEqualTo("done");
	}

	@Test
	void cancellingTheResultCancelsTheStageAndEndsTheWork() throws Exception {
		LeadershipExecution execution = losable(OnLost.THROW);
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execution.runAsync(() -> stage, () -> stage);
		assertThat(result).isNotDone();
		result.cancel(false);
		assertThat(stage).isCancelled();
		this.losable.awaitNoWork();
	}

	@Test
	void threadOfAStageIsInterruptedWhileItWorks() {
		CompletableFuture<String> result = execution(OnLost.INTERRUPT).runAsync(() -> {
			beginToLose();
			awaitInterrupt();
			return CompletableFuture.completedFuture("not interrupted");
		}, () -> CompletableFuture.completedFuture("skipped"));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.havingCause()
			.isInstanceOf(LockLostException.class)
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void whatFailedBecauseOfAnInterruptIsItsCauseAlsoIfTheLossWasHeardOfBefore() {
		CompletableFuture<String> result = losable(OnLost.INTERRUPT).runAsync(() -> {
			LeaderWork work = this.losable.leadership().current().orElseThrow();
			this.losable.lose();
			try {
				awaitInterrupt();
				return CompletableFuture.completedFuture("not interrupted");
			}
			catch (InterruptedException ex) {
				return new FailedAfterLossActions(work, ex);
			}
		}, () -> CompletableFuture.completedFuture("skipped"));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.havingCause()
			.isInstanceOf(LockLostException.class)
			.withCauseInstanceOf(InterruptedException.class);
	}

	@Test
	void bodyThatThrowsOrReturnsNoStageFailsTheResult() {
		assertThat(execution(OnLost.THROW).<String>runAsync(() -> {
			throw new IOException("own");
		}, CompletableFuture::new)).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(IOException.class);
		this.application.roles().stop();
		assertThat(this.application.participants(ROLE)).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void stageThatNobodyCanFollowFailsTheResultAndEndsTheWork(OnLost onLost) {
		IllegalStateException broken = new IllegalStateException("broken");
		CompletableFuture<String> stage = new CompletableFuture<>() {

			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw broken;
			}

		};
		CompletableFuture<String> result = losable(onLost).runAsync(() -> stage, () -> stage);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join).havingCause().isSameAs(broken);
		this.losable.awaitNoWork();
	}

	/**
	 * A stage that has failed, and is slow to say so: before, all loss actions that are
	 * known by then have run.
	 */
	private static final class FailedAfterLossActions extends CompletableFuture<String> {

		private final LeaderWork work;

		FailedAfterLossActions(LeaderWork work, Throwable failure) {
			this.work = work;
			completeExceptionally(failure);
		}

		@Override
		public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
			CountDownLatch lossActions = new CountDownLatch(1);
			this.work.onLost(lossActions::countDown);
			try {
				assertThat(Patience.await(lossActions)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return super.whenComplete(action);
		}

	}

	/**
	 * Counts its interrupts.
	 */
	private static final class CountedThread extends Thread {

		private final AtomicInteger interrupts = new AtomicInteger();

		CountedThread(Runnable task) {
			super(task);
		}

		@Override
		public void interrupt() {
			super.interrupt();
			this.interrupts.incrementAndGet();
		}

		/**
		 * Wait on such a thread, without reacting.
		 */
		static void awaitInterrupts(int count) {
			CountedThread thread = (CountedThread) Thread.currentThread();
			long start = System.nanoTime();
			while (thread.interrupts.get() < count) {
				assertThat(System.nanoTime() - start).isLessThan(PATIENCE.toNanos());
				Thread.onSpinWait();
			}
		}

	}

}
