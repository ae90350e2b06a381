package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.Patience;
import io.micrometer.context.ContextRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Stages that hold locks.
 */
class ExecuteAsyncTests extends AsyncTestSupport {

	private static final ThreadLocal<String> trace = new ThreadLocal<>();

	private final LockTemplate template = template(this.callers);

	ExecuteAsyncTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private LockTemplate template(Executor executor) {
		return new LockTemplate(new AnsweredLocks(this.locks), PATIENCE, executor);
	}

	private static LockOptions lock(String name) {
		return LockOptions.of(name);
	}

	private static void assertFails(CompletableFuture<?> result, Class<? extends Throwable> type) {
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(type);
	}

	// Holding

	@Test
	void holdsUntilTheStageIsComplete() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CountDownLatch called = new CountDownLatch(1);
		CompletableFuture<String> result = this.template.executeAsync(lock("lock"), () -> {
			called.countDown();
			return stage;
		});
		assertThat(Patience.await(called)).isTrue();
		assertHeld("lock");
		assertThat(result).isNotDone();
		stage.complete("value");
		assertThat(get(result)).isEqualTo("value");
		assertFree("lock");
	}

	@Test
	void bodyRunsOnTheExecutorAndKnowsItsLocks() throws Exception {
		CompletableFuture<Thread> thread = this.template.executeAsync(List.of(lock("b"), lock("a")), () -> {
			assertThat(CurrentLock.lease().name()).isEqualTo("b");
			CurrentLock.assertHeld("a");
			return CompletableFuture.completedFuture(Thread.currentThread());
		});
		assertThat(get(thread).getName()).isEqualTo("body");
		assertThatIllegalStateException().isThrownBy(CurrentLock::lease);
		CompletableFuture<Boolean> nothingLeft = new CompletableFuture<>();
		this.template.executeAsync(lock("c"), () -> {
			nothingLeft.complete(LockStack.find(LockStack.current(), "a") == null);
			return CompletableFuture.completedFuture(null);
		});
		assertThat(get(nothingLeft)).isTrue();
	}

	@Test
	void sameNameTwiceIsOneLock() throws Exception {
		assertThat(get(this.template.executeAsync(List.of(lock("lock").mode(LockMode.READ), lock("lock")), () -> {
			assertThat(nodes("lock")).hasSize(1);
			return CompletableFuture.completedFuture("value");
		}))).isEqualTo("value");
	}

	@Test
	void readersShareTheLock() throws Exception {
		LockOptions read = lock("lock").mode(LockMode.READ).maxWait(Duration.ZERO);
		CompletableFuture<String> inner = this.template.executeAsync(read,
				() -> this.template.executeAsync(read, () -> CompletableFuture.completedFuture("both")));
		assertThat(get(inner)).isEqualTo("both");
	}

	@Test
	void nobodyEntersTheLockAgain() throws Exception {
		CompletableFuture<Object> result = this.template.executeAsync(lock("lock"), () -> this.template
			.executeAsync(lock("lock").maxWait(Duration.ZERO), () -> CompletableFuture.completedFuture("never")));
		assertFails(result, LockTimeoutException.class);
		awaitFree("lock");
	}

	@Test
	void leastTimeIsKept() throws Exception {
		get(this.template.executeAsync(lock("lock").minHold(Duration.ofDays(1)),
				() -> CompletableFuture.completedFuture("value")));
		assertHeld("lock");
		assertThat(nodes("lock")).hasSize(1);
	}

	@Test
	void failureOfTheStageOrTheBodyIsTheResult() throws Exception {
		IllegalStateException failure = new IllegalStateException("broken");
		CompletableFuture<Object> failed = this.template.executeAsync(lock("lock"),
				() -> CompletableFuture.failedFuture(failure));
		assertThat(failed).failsWithin(PATIENCE).withThrowableThat().withCause(failure);
		assertFree("lock");
		CompletableFuture<Object> thrown = this.template.executeAsync(lock("lock"), () -> {
			throw failure;
		});
		assertThat(thrown).failsWithin(PATIENCE).withThrowableThat().withCause(failure);
		assertFree("lock");
	}

	@Test
	@SuppressWarnings("NullAway")
	void bodyWithoutAStageHasNoResult() throws Exception {
		assertThat(get(this.template.executeAsync(lock("lock"), () -> (CompletionStage<Object>) null))).isNull();
		assertFree("lock");
	}

	@Test
	void neverThrows() {
		assertFails(this.template.executeAsync(List.of(), CompletableFuture::new), IllegalArgumentException.class);
		assertFails(this.template.executeAsync(lock("\ud800"), CompletableFuture::new), IllegalArgumentException.class);
	}

	@Test
	void contextOfTheCallerIsCarriedToTheBody() throws Exception {
		ContextRegistry.getInstance().registerThreadLocalAccessor("trace", trace);
		try {
			trace.set("of the caller");
			assertThat(
					get(this.template.executeAsync(lock("lock"), () -> CompletableFuture.completedFuture(trace.get()))))
				.isEqualTo("of the caller");
		}
		finally {
			trace.remove();
			ContextRegistry.getInstance().removeThreadLocalAccessor("trace");
		}
	}

	// Contention

	@Test
	void contentionFailsTheResult() throws Exception {
		try (LockLease lease = this.elsewhere.lock("lock").acquire()) {
			CompletableFuture<Object> result = this.template.executeAsync(lock("lock").maxWait(Duration.ZERO),
					CompletableFuture::new);
			assertThat(result).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockTimeoutException.class)
				.withMessageContaining("'lock'")
				.withMessageContaining("zk.lock.max-wait");
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void policyOfTheLockThatWasNotGrantedApplies() throws Exception {
		try (LockLease lease = this.elsewhere.lock("b").acquire()) {
			List<LockOptions> skipping = List.of(lock("a"), lock("b").onContention(OnContention.SKIP));
			CompletableFuture<Object> skipped = this.template.executeAsync(skipping, () -> {
				throw new AssertionError();
			});
			assertThat(get(skipped)).isNull();
			assertFree("a");
			List<LockOptions> throwing = List.of(lock("a").onContention(OnContention.SKIP),
					lock("b").maxWait(Duration.ZERO));
			assertFails(this.template.executeAsync(throwing, CompletableFuture::new), LockTimeoutException.class);
			assertFree("a");
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void fallbackGivesAValueOrAStageOnTheExecutor() throws Exception {
		try (LockLease lease = this.elsewhere.lock("lock").acquire()) {
			CompletableFuture<Object> thread = fallingBack((timeout) -> Thread.currentThread().getName());
			assertThat(get(thread)).isEqualTo("body");
			CompletableFuture<String> stage = new CompletableFuture<>();
			CompletableFuture<Object> result = fallingBack((timeout) -> stage);
			stage.complete("later");
			assertThat(get(result)).isEqualTo("later");
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).as("without the lock").hasSize(1);
		}
	}

	private <T> CompletableFuture<T> fallingBack(Function<LockTimeoutException, Object> fallback) {
		return this.template.executeAsync(lock("lock").fallback(fallback), CompletableFuture::new);
	}

	@Test
	void fallbackThatFailsIsTheResultAndItsStageIsCancelledWithIt() throws Exception {
		try (LockLease lease = this.elsewhere.lock("lock").acquire()) {
			assertThat(fallingBack((timeout) -> {
				throw timeout;
			})).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockTimeoutException.class);
			CompletableFuture<String> stage = new CompletableFuture<>();
			CountDownLatch called = new CountDownLatch(1);
			CompletableFuture<Object> result = fallingBack((timeout) -> {
				called.countDown();
				return stage;
			});
			assertThat(Patience.await(called)).isTrue();
			result.cancel(false);
			assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(stage));
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void unavailableIsNeverSkipped() {
		this.locks.close();
		assertFails(this.template.executeAsync(lock("lock").onContention(OnContention.SKIP), CompletableFuture::new),
				LockUnavailableException.class);
	}

	// Executors

	@Test
	void executorThatRejectsGivesTheLocksBack() throws Exception {
		LockTemplate rejecting = template((task) -> {
			throw new RejectedExecutionException("full");
		});
		assertFails(rejecting.executeAsync(List.of(lock("a"), lock("b")), CompletableFuture::new),
				RejectedExecutionException.class);
		assertFree("a");
		assertFree("b");
	}

	@Test
	void executorThatIsShutDownGivesTheLocksBack() throws Exception {
		ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
		executor.setCorePoolSize(1);
		executor.initialize();
		CountDownLatch busy = new CountDownLatch(1);
		executor.execute(() -> {
			busy.countDown();
			new CompletableFuture<>().join();
		});
		assertThat(Patience.await(busy)).isTrue();
		CompletableFuture<Object> result = template(executor).executeAsync(lock("lock"), CompletableFuture::new);
		await().atMost(PATIENCE).until(() -> executor.getQueueSize() == 1);
		executor.shutdown();
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(result));
		awaitFree("lock");
	}

	// Cancelling

	@Test
	void cancelWhileWaitingLeavesTheQueue() throws Exception {
		try (LockLease lease = this.elsewhere.lock("b").acquire()) {
			CompletableFuture<Object> result = this.template.executeAsync(List.of(lock("a"), lock("b")),
					CompletableFuture::new);
			awaitNodes("b", 2);
			assertHeld("a");
			result.cancel(false);
			awaitNodes("b", 1);
			awaitFree("a");
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void cancelBeforeTheBodyIsCalledKeepsItFromBeingCalled() throws Exception {
		Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
		AtomicBoolean called = new AtomicBoolean();
		CompletableFuture<Object> result = template(tasks::add).executeAsync(lock("lock"), () -> {
			called.set(true);
			return new CompletableFuture<>();
		});
		await().atMost(PATIENCE).until(() -> !tasks.isEmpty());
		assertHeld("lock");
		result.cancel(false);
		awaitFree("lock");
		tasks.remove().run();
		assertThat(called).isFalse();
	}

	@Test
	void cancelWhileTheBodyRunsKeepsTheLockUntilItHasReturned() throws Exception {
		CountDownLatch called = new CountDownLatch(1);
		CountDownLatch returning = new CountDownLatch(1);
		CompletableFuture<Object> stage = new CompletableFuture<>();
		CompletableFuture<Object> result = this.template.executeAsync(lock("lock"), () -> {
			called.countDown();
			awaitUninterruptibly(returning);
			return stage;
		});
		assertThat(Patience.await(called)).isTrue();
		result.cancel(false);
		assertHeld("lock");
		returning.countDown();
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(stage));
		awaitFree("lock");
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(Patience.await(latch)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void whoeverCompletesTheResultCancelsTheStage() throws Exception {
		List<CompletableFuture<Object>> stages = new ArrayList<>();
		for (int way = 0; way < 3; way++) {
			CompletableFuture<Object> stage = new CompletableFuture<>();
			CountDownLatch called = new CountDownLatch(1);
			CompletableFuture<Object> result = this.template.executeAsync(lock("lock"), () -> {
				called.countDown();
				return stage;
			});
			assertThat(Patience.await(called)).isTrue();
			switch (way) {
				case 0 -> result.cancel(true);
				case 1 -> result.complete("enough");
				default -> result.orTimeout(1, TimeUnit.MILLISECONDS);
			}
			assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(stage));
			awaitFree("lock");
			stages.add(stage);
		}
		assertThat(stages).hasSize(3);
	}

	@Test
	void stageThatCannotBeCancelledKeepsTheLock() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CountDownLatch called = new CountDownLatch(1);
		CompletableFuture<String> result = this.template.executeAsync(lock("lock"), () -> {
			called.countDown();
			return work.minimalCompletionStage();
		});
		assertThat(Patience.await(called)).isTrue();
		result.cancel(false);
		assertThat(work).isNotDone();
		assertHeld("lock");
		work.complete("done at last");
		awaitFree("lock");
	}

	/**
	 * The lock is handed over locally while the next in line is cancelled, 10,000 times
	 * unless the machine is slow. The one behind gets it in any case. Half of the bodies
	 * never end unless they are cancelled.
	 */
	@Test
	void cancelRacesGrant() throws Exception {
		AtomicInteger bodies = new AtomicInteger();
		int completed = 0;
		int cancelled = 0;
		NamedLock lock = this.locks.lock("lock");
		LockLease lease = lock.acquire();
		long start = System.nanoTime();
		int race = 0;
		while (race < 10_000
				&& !(isLongSince(start) && completed > 0 && bodies.get() > completed && bodies.get() < race)) {
			boolean ending = race % 2 == 0;
			CompletableFuture<String> next = this.template.executeAsync(lock("lock"), () -> {
				bodies.incrementAndGet();
				return ending ? CompletableFuture.completedFuture("value") : new CompletableFuture<>();
			});
			CompletableFuture<LockLease> behind = lock.acquireAsync(PATIENCE);
			int lead = (race / 2) % 128;
			CompletableFuture<Boolean> cancelling = CompletableFuture.supplyAsync(() -> {
				spin(4 * lead);
				return next.cancel(false);
			}, this.callers);
			spin(64);
			lease.close();
			if (get(cancelling)) {
				cancelled++;
			}
			else {
				completed++;
				assertThat(get(next)).isEqualTo("value");
			}
			lease = get(behind);
			race++;
		}
		lease.close();
		assertThat(completed).as("completed").isPositive();
		assertThat(cancelled).as("cancelled").isPositive();
		assertThat(bodies.get()).as("cancelled while the body ran").isGreaterThan(completed).isLessThan(race);
		awaitFree("lock");
	}

	// By a thread that waits

	@Test
	void threadWaitsAndRunsTheBodyItself() throws Exception {
		CompletableFuture<Thread> stage = new CompletableFuture<>();
		CompletableFuture<Thread> result = this.template.executeHere(List.of(lock("a"), lock("b")), () -> {
			CurrentLock.assertHeld("a");
			stage.completeOnTimeout(Thread.currentThread(), 0, TimeUnit.MILLISECONDS);
			return stage.minimalCompletionStage();
		});
		assertThat(get(result)).isSameAs(Thread.currentThread());
		assertThatIllegalStateException().isThrownBy(CurrentLock::lease);
		assertFree("a");
		assertFree("b");
	}

	@Test
	void threadThatWaitsReturnsBeforeTheStageIsComplete() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeHere(List.of(lock("lock")), () -> stage);
		assertThat(result).isNotDone();
		assertHeld("lock");
		result.cancel(false);
		assertThat(stage).isCancelled();
		awaitFree("lock");
	}

	@Test
	void threadThatIsInterruptedWhileWaitingFailsTheResult() throws Exception {
		try (LockLease lease = this.elsewhere.lock("b").acquire()) {
			Thread.currentThread().interrupt();
			CompletableFuture<Object> result = this.template
				.executeHere(List.of(lock("a"), lock("b").onContention(OnContention.SKIP)), CompletableFuture::new);
			assertThat(Thread.interrupted()).isTrue();
			assertFails(result, LockInterruptedException.class);
			assertFree("a");
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void threadThatWaitsFallsBackItself() throws Exception {
		try (LockLease lease = this.elsewhere.lock("b").acquire()) {
			List<LockOptions> fallingBack = List.of(lock("a"), lock("b").fallback((timeout) -> Thread.currentThread()));
			assertThat(get(this.template.<Object>executeHere(fallingBack, CompletableFuture::new)))
				.isSameAs(Thread.currentThread());
			assertFree("a");
			CompletableFuture<Object> refused = this.template.executeHere(List.of(lock("b").maxWait(Duration.ZERO)),
					CompletableFuture::new);
			assertFails(refused, LockTimeoutException.class);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void checkedExceptionOfABodyIsTheResult() throws Exception {
		Exception failure = new Exception("checked");
		CompletableFuture<Object> result = this.template.executeHere(List.of(lock("lock")), () -> {
			throw failure;
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(result)).withCause(failure);
		assertFree("lock");
	}

}
