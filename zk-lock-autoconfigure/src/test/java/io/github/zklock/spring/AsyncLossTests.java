package io.github.zklock.spring;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Stages and publishers that lose their locks.
 */
class AsyncLossTests extends AsyncTestSupport {

	private final LockTemplate template = template(this.callers);

	private final ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.template);

	private final CompletableFuture<LockLease> lease = new CompletableFuture<>();

	AsyncLossTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private LockTemplate template(Executor executor) {
		return new LockTemplate(this.locks, PATIENCE, executor);
	}

	private static LockOptions lock(OnLost onLost) {
		return LockOptions.of("lock").onLost(onLost);
	}

	private <T> CompletableFuture<T> execute(OnLost onLost, CompletableFuture<T> stage) {
		return this.template.executeAsync(lock(onLost), () -> {
			this.lease.complete(CurrentLock.lease());
			return stage;
		});
	}

	// Stages

	@Test
	void resultFailsWhenTheStageIsComplete() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execute(OnLost.THROW, stage);
		lose(get(this.lease));
		assertThat(result).isNotDone();
		stage.complete("value");
		assertThat(result).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class)
			.withMessageContaining("'lock'");
	}

	@Test
	void failureOfTheStageWins() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execute(OnLost.THROW, stage);
		lose(get(this.lease));
		IllegalStateException failure = new IllegalStateException("broken");
		stage.completeExceptionally(failure);
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCause(failure);
		assertThat(failure.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void ignoredLossIsNotTold() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execute(OnLost.IGNORE, stage);
		lose(get(this.lease));
		stage.complete("value");
		assertThat(get(result)).isEqualTo("value");
	}

	@Test
	void interruptCancelsTheStageAndFailsTheResultAtOnce() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = execute(OnLost.INTERRUPT, stage);
		lose(get(this.lease));
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(stage));
	}

	@Test
	void interruptReachesTheThreadOfABodyThatHasNotReturned() throws Exception {
		ExecutorService single = Executors.newSingleThreadExecutor();
		try {
			CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
			CompletableFuture<Object> result = template(single).executeAsync(lock(OnLost.INTERRUPT), () -> {
				this.lease.complete(CurrentLock.lease());
				try {
					interrupted.complete(Patience.await(new CountDownLatch(1)));
				}
				catch (InterruptedException ex) {
					interrupted.complete(true);
					Thread.currentThread().interrupt();
				}
				return new CompletableFuture<>();
			});
			lose(get(this.lease));
			assertThat(get(interrupted)).isTrue();
			assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
			assertThat(get(single.submit(Thread::interrupted))).as("flag of a pooled thread").isFalse();
		}
		finally {
			single.shutdownNow();
		}
	}

	@Test
	void bodyIsNotCalledWithALockThatHasBeenLost() throws Exception {
		Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
		AtomicBoolean called = new AtomicBoolean();
		CompletableFuture<String> result = template(tasks::add).executeAsync(lock(OnLost.THROW), () -> {
			called.set(true);
			return new CompletableFuture<>();
		});
		await().atMost(PATIENCE).until(() -> !tasks.isEmpty());
		assertThat(this.locks.breakLock("lock")).isTrue();
		tasks.remove().run();
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(called).isFalse();
	}

	@Test
	void threadThatWaitedIsToldToo() throws Exception {
		CompletableFuture<String> stage = new CompletableFuture<>();
		CompletableFuture<String> result = this.template.executeHere(List.of(lock(OnLost.INTERRUPT)), () -> {
			this.lease.complete(CurrentLock.lease());
			return stage;
		});
		lose(get(this.lease));
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(stage));
	}

	// Publishers

	private <T> Mono<T> mono(OnLost onLost, Publisher<T> source) {
		return this.reactive.mono(lock(onLost), () -> told(source));
	}

	private <T> Flux<T> flux(OnLost onLost, Publisher<T> source) {
		return this.reactive.flux(lock(onLost), () -> told(source));
	}

	private <T> Publisher<T> told(Publisher<T> source) {
		this.lease.complete(CurrentLock.lease());
		return source;
	}

	private void loseIt() {
		try {
			lose(get(this.lease));
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void monoFailsInsteadOfGivingItsValue() {
		Sinks.One<String> source = Sinks.one();
		StepVerifier.create(mono(OnLost.THROW, source.asMono())).then(() -> {
			loseIt();
			source.tryEmitValue("value").orThrow();
		}).expectError(LockLostException.class).verify(PATIENCE);
	}

	@Test
	void fluxFailsInsteadOfCompleting() {
		Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
		StepVerifier.create(flux(OnLost.THROW, source.asFlux())).then(() -> {
			loseIt();
			source.tryEmitNext("value").orThrow();
		})
			.expectNext("value")
			.then(() -> source.tryEmitComplete().orThrow())
			.expectError(LockLostException.class)
			.verify(PATIENCE);
	}

	@Test
	void errorOfThePublisherWins() {
		Sinks.One<String> source = Sinks.one();
		IllegalStateException failure = new IllegalStateException("broken");
		StepVerifier.create(mono(OnLost.THROW, source.asMono())).then(() -> {
			loseIt();
			source.tryEmitError(failure).orThrow();
		}).expectErrorSatisfies((ex) -> {
			assertThat(ex).isSameAs(failure);
			assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
		}).verify(PATIENCE);
	}

	@Test
	void interruptCancelsTheSourceAndFailsThePublisherAtOnce() throws Exception {
		CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
		StepVerifier
			.create(flux(OnLost.INTERRUPT, Flux.<String>never().doOnCancel(() -> cancelled.complete(true)))
				.doOnSubscribe((subscription) -> this.callers.execute(this::loseIt)))
			.expectError(LockLostException.class)
			.verify(PATIENCE);
		assertThat(get(cancelled)).isTrue();
	}

	@Test
	void interruptCancelsASourceThatEmitsWhileItIsSubscribedTo() {
		StepVerifier
			.create(flux(OnLost.INTERRUPT, Flux.<Integer>generate((sink) -> sink.next(1)))
				.doOnSubscribe((subscription) -> this.callers.execute(this::loseIt))
				.ignoreElements())
			.expectError(LockLostException.class)
			.verify(PATIENCE);
	}

	@Test
	void ignoredLossOfAPublisherIsNotTold() {
		Sinks.One<String> source = Sinks.one();
		StepVerifier.create(mono(OnLost.IGNORE, ReactiveLockTemplate.checked(source.asMono()))).then(() -> {
			loseIt();
			source.tryEmitValue("value").orThrow();
		}).expectNext("value").expectComplete().verify(PATIENCE);
	}

	@Test
	void checkedPublisherFailsBeforeItCompletes() {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<Throwable> inside = new CompletableFuture<>();
		Publisher<String> checked = ReactiveLockTemplate.checked(source.asMono());
		StepVerifier.create(mono(OnLost.THROW, Mono.from(checked).doOnError(inside::complete))).then(() -> {
			loseIt();
			source.tryEmitValue("value").orThrow();
		}).expectError(LockLostException.class).verify(PATIENCE);
		assertThat(checked).isInstanceOf(Mono.class);
		assertThat(inside).isCompletedWithValueMatching((ex) -> ex instanceof LockLostException);
	}

	/**
	 * The one that has taken the lock has ended, but one inside has entered it again.
	 */
	@Test
	void lossOfALockThatWasEnteredAgainCancels() throws Exception {
		CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
		CountDownLatch subscribed = new CountDownLatch(1);
		Mono<Object> inner = this.reactive.mono(lock(OnLost.IGNORE),
				() -> Mono.never()
					.doOnSubscribe((subscription) -> subscribed.countDown())
					.doOnCancel(() -> cancelled.complete(true)));
		CompletableFuture<Object> detached = new CompletableFuture<>();
		Mono<String> outer = mono(OnLost.INTERRUPT, Mono.deferContextual((context) -> {
			inner.contextWrite(context).subscribe(detached::complete, detached::completeExceptionally);
			return Mono.just("outer");
		}));
		StepVerifier.create(outer).expectNext("outer").expectComplete().verify(PATIENCE);
		assertThat(Patience.await(subscribed)).isTrue();
		loseIt();
		assertThat(detached).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(get(cancelled)).isTrue();
	}

	@Test
	void lossOfALockThatWasEnteredAgainFailsThePublisherInTheEnd() throws Exception {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<String> detached = new CompletableFuture<>();
		CountDownLatch subscribed = new CountDownLatch(1);
		Mono<String> inner = this.reactive.mono(lock(OnLost.IGNORE),
				() -> source.asMono().doOnSubscribe((subscription) -> subscribed.countDown()));
		Mono<String> outer = mono(OnLost.THROW, Mono.deferContextual((context) -> {
			inner.contextWrite(context).subscribe(detached::complete, detached::completeExceptionally);
			return Mono.just("outer");
		}));
		StepVerifier.create(outer).expectNext("outer").expectComplete().verify(PATIENCE);
		assertThat(Patience.await(subscribed)).isTrue();
		loseIt();
		assertThat(detached).isNotDone();
		source.tryEmitValue("value").orThrow();
		assertThat(detached).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void lostLockIsNotEnteredAgain() {
		Sinks.One<String> source = Sinks.one();
		AtomicBoolean called = new AtomicBoolean();
		Mono<String> inner = this.reactive.mono(lock(OnLost.THROW), () -> {
			called.set(true);
			return Mono.just("never");
		});
		StepVerifier.create(mono(OnLost.IGNORE, source.asMono().then(inner))).then(() -> {
			loseIt();
			source.tryEmitValue("value").orThrow();
		}).expectError(LockLostException.class).verify(PATIENCE);
		assertThat(called).isFalse();
	}

	// Without a helping hand: the connection is silent for too long

	@ParameterizedTest
	@EnumSource
	void silentConnectionIsALoss(OnLost onLost) throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks victim = closing(registry(proxy.connectString(), Duration.ofSeconds(4)));
		LockTemplate stages = new LockTemplate(victim, PATIENCE, this.callers);
		assertSilence(onLost, stages.executeAsync(lock(onLost), () -> silence(proxy, onLost)));
		proxy.heal();
		ReactiveLockTemplate publishers = new ReactiveLockTemplate(stages);
		assertSilence(onLost, publishers.mono(lock(onLost), () -> Mono.fromFuture(silence(proxy, onLost))).toFuture());
		proxy.heal();
		assertThat(get(stages.executeAsync(lock(onLost), () -> CompletableFuture.completedFuture("again"))))
			.isEqualTo("again");
	}

	/**
	 * Return what ends when the lock is lost, by itself unless it is to be cancelled.
	 */
	private static CompletableFuture<String> silence(FaultProxy proxy, OnLost onLost) {
		CompletableFuture<String> ended = new CompletableFuture<>();
		if (onLost != OnLost.INTERRUPT) {
			CurrentLock.lease().onLost(() -> ended.complete("ended"));
		}
		proxy.hold(Direction.TO_SERVER);
		return ended;
	}

	private static void assertSilence(OnLost onLost, CompletableFuture<?> result) throws Exception {
		if (onLost == OnLost.IGNORE) {
			assertThat(get(result)).isEqualTo("ended");
		}
		else {
			assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		}
	}

}
