package io.github.zklock.spring;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.ContextView;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Publishers that hold locks.
 */
class ReactiveLockTemplateTests extends AsyncTestSupport {

	private final ReactiveLockTemplate template = new ReactiveLockTemplate(
			new LockTemplate(new AnsweredLocks(this.locks), PATIENCE, (task) -> {
				throw new AssertionError("not for publishers");
			}));

	ReactiveLockTemplateTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private static LockOptions lock(String name) {
		return LockOptions.of(name);
	}

	// Holding

	@Test
	void monoHoldsItsLockForEachSubscription() throws Exception {
		AtomicInteger bodies = new AtomicInteger();
		Mono<Integer> mono = this.template.mono(lock("lock"), () -> {
			assertThat(Schedulers.isInNonBlockingThread()).isTrue();
			assertThat(Thread.currentThread().getName()).startsWith("parallel");
			CurrentLock.assertHeld("lock");
			assertThat(nodes("lock")).hasSize(1);
			return Mono.just(bodies.incrementAndGet());
		});
		assertThat(nodes("lock")).isEmpty();
		StepVerifier.create(mono).expectNext(1).expectComplete().verify(PATIENCE);
		assertFree("lock");
		StepVerifier.create(mono.repeat(2)).expectNext(2, 3, 4).expectComplete().verify(PATIENCE);
		assertFree("lock");
	}

	@Test
	void lockIsFreeWhenTheValueIsPassedOn() {
		AtomicBoolean free = new AtomicBoolean();
		StepVerifier.create(this.template.mono(lock("lock"), () -> Mono.just("value")).doOnNext((value) -> {
			assertThat(Thread.currentThread().getName()).startsWith("parallel");
			free.set(nodes("lock").isEmpty());
		})).expectNext("value").expectComplete().verify(PATIENCE);
		assertThat(free).isTrue();
	}

	@Test
	void fluxPassesItsValuesOnWhileTheLockIsHeld() throws Exception {
		Flux<Integer> flux = this.template.flux(List.of(lock("b"), lock("a")), () -> {
			assertThat(CurrentLock.lease().name()).isEqualTo("b");
			return Flux.range(1, 1000);
		});
		StepVerifier.create(flux, 2).expectNext(1, 2).then(() -> {
			assertThat(nodes("a")).hasSize(1);
			assertThat(nodes("b")).hasSize(1);
		}).thenRequest(998).expectNextCount(998).expectComplete().verify(PATIENCE);
		assertFree("a");
		assertFree("b");
	}

	@Test
	void noMoreValuesAreAskedForThanAreWanted() {
		AtomicLong requested = new AtomicLong();
		Flux<Integer> flux = this.template.flux(lock("lock"),
				() -> Flux.range(1, 1000).doOnRequest(requested::addAndGet));
		StepVerifier.create(flux, 0)
			.expectSubscription()
			.thenRequest(1)
			.expectNext(1)
			.thenRequest(2)
			.expectNext(2, 3)
			.thenCancel()
			.verify(PATIENCE);
		assertThat(requested).hasValue(3);
		awaitNodes("lock", 0);
	}

	@Test
	void emptyPublishersAndErrorsGiveTheLockBack() throws Exception {
		StepVerifier.create(this.template.mono(lock("lock"), Mono::empty)).expectComplete().verify(PATIENCE);
		assertFree("lock");
		StepVerifier.create(this.template.flux(lock("lock"), Flux::empty)).expectComplete().verify(PATIENCE);
		assertFree("lock");
		IllegalStateException failure = new IllegalStateException("broken");
		StepVerifier.create(this.template.mono(lock("lock"), () -> Mono.error(failure)))
			.expectErrorMatches((ex) -> ex == failure)
			.verify(PATIENCE);
		assertFree("lock");
		StepVerifier.create(this.template.flux(lock("lock"), () -> {
			throw failure;
		})).expectErrorMatches((ex) -> ex == failure).verify(PATIENCE);
		assertFree("lock");
	}

	@Test
	void leastTimeIsKept() throws Exception {
		StepVerifier.create(this.template.mono(lock("lock").minHold(Duration.ofDays(1)), () -> Mono.just("value")))
			.expectNext("value")
			.expectComplete()
			.verify(PATIENCE);
		assertHeld("lock");
	}

	@Test
	void mistakesFailThePublisher() {
		StepVerifier.create(this.template.mono(List.of(), Mono::never))
			.expectError(IllegalArgumentException.class)
			.verify(PATIENCE);
		StepVerifier.create(this.template.flux(lock("\ud800"), Flux::never))
			.expectError(IllegalArgumentException.class)
			.verify(PATIENCE);
	}

	// The context

	@Test
	void contextTellsOfTheLocks() {
		Mono<String> mono = this.template.mono(List.of(lock("a"), lock("b")),
				() -> Mono
					.zip(ReactiveLockTemplate.currentLease(), ReactiveLockTemplate.currentLease("a"),
							Mono.deferContextual((ContextView context) -> Mono.just(context.get("key"))))
					.publishOn(Schedulers.boundedElastic())
					.map((found) -> {
						assertThat(found.getT1().isHeld()).isTrue();
						assertThat(found.getT1().fencingToken()).isPositive();
						return found.getT1().name() + found.getT2().name() + found.getT3();
					}));
		StepVerifier.create(mono.contextWrite((context) -> context.put("key", "value")))
			.expectNext("bavalue")
			.expectComplete()
			.verify(PATIENCE);
	}

	@Test
	void contextWithoutALockTellsSo() {
		StepVerifier.create(ReactiveLockTemplate.currentLease()).verifyError(IllegalStateException.class);
		StepVerifier.create(this.template.mono(lock("lock"), () -> ReactiveLockTemplate.currentLease("other")))
			.expectErrorSatisfies(
					(ex) -> assertThat(ex).isInstanceOf(IllegalStateException.class).hasMessageContaining("'other'"))
			.verify(PATIENCE);
	}

	@Test
	void publisherInsideEntersTheLockAgain() throws Exception {
		LockOptions again = lock("lock").maxWait(Duration.ZERO);
		Mono<String> inner = this.template.mono(again.mode(LockMode.READ),
				() -> this.template.mono(again, () -> ReactiveLockTemplate.currentLease("lock"))
					.map((lease) -> lease.isHeld() + " " + nodes("lock").size()));
		AtomicInteger nodesBetween = new AtomicInteger();
		Mono<String> outer = this.template.mono(lock("lock"),
				() -> inner.doOnNext((value) -> nodesBetween.set(nodes("lock").size())));
		StepVerifier.create(outer).expectNext("true 1").expectComplete().verify(PATIENCE);
		assertThat(nodesBetween).as("still held after the inner publisher has ended").hasValue(1);
		assertFree("lock");
	}

	@Test
	void lockIsKeptForAPublisherThatHasEnteredItAgainAndGoesOn() throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CompletableFuture<String> ending = new CompletableFuture<>();
		AtomicBoolean held = new AtomicBoolean();
		Mono<String> inner = this.template.mono(lock("lock"), () -> {
			entered.countDown();
			return Mono.fromFuture(ending).flatMap((value) -> ReactiveLockTemplate.currentLease()).map((lease) -> {
				held.set(lease.isHeld());
				return "value";
			});
		});
		CompletableFuture<String> detached = new CompletableFuture<>();
		Mono<String> outer = this.template.mono(lock("lock"), () -> Mono.deferContextual((context) -> {
			inner.contextWrite(context).subscribe(detached::complete, detached::completeExceptionally);
			return Mono.just("outer");
		}));
		StepVerifier.create(outer).expectNext("outer").expectComplete().verify(PATIENCE);
		assertThat(Patience.await(entered)).isTrue();
		assertHeld("lock");
		ending.complete("go");
		assertThat(get(detached)).isEqualTo("value");
		assertThat(held).isTrue();
		assertFree("lock");
	}

	@Test
	void contextOfAPublisherThatHasEndedOpensNothing() throws Exception {
		Mono<ContextView> ended = this.template.mono(lock("lock"), () -> Mono.deferContextual(Mono::just));
		ContextView context = Objects.requireNonNull(ended.block(PATIENCE));
		Mono<Integer> late = this.template.mono(lock("lock"), () -> Mono.fromCallable(() -> nodes("lock").size()));
		StepVerifier.create(late.contextWrite(context)).expectNext(1).expectComplete().verify(PATIENCE);
		assertFree("lock");
	}

	@Test
	void lockThatWasGivenBackIsTakenAnew() throws Exception {
		Mono<Long> inner = this.template.mono(lock("lock"),
				() -> ReactiveLockTemplate.currentLease("lock").map(LockLease::fencingToken));
		Mono<Boolean> outer = this.template.mono(lock("lock"), () -> {
			LockLease lease = CurrentLock.lease();
			long token = lease.fencingToken();
			lease.close();
			return inner.map((again) -> again > token && !lease.isHeld());
		});
		StepVerifier.create(outer).expectNext(true).expectComplete().verify(PATIENCE);
		assertFree("lock");
	}

	@Test
	void writingInsideReadingIsRefusedAtOnce() throws Exception {
		Mono<String> inner = this.template.mono(lock("lock"), () -> Mono.just("never"));
		Mono<String> outer = this.template.mono(lock("lock").mode(LockMode.READ), () -> inner);
		StepVerifier.create(outer)
			.expectErrorSatisfies((ex) -> assertThat(ex).isInstanceOf(IllegalMonitorStateException.class)
				.hasMessageContaining("'lock'"))
			.verify(PATIENCE);
		assertFree("lock");
	}

	// Contention

	@Test
	void contentionFollowsThePolicy() throws Exception {
		try (LockLease lease = this.elsewhere.lock("b").acquire()) {
			StepVerifier.create(this.template.mono(List.of(lock("a"), lock("b").maxWait(Duration.ZERO)), Mono::never))
				.expectError(LockTimeoutException.class)
				.verify(PATIENCE);
			assertFree("a");
			LockOptions skipping = lock("b").onContention(OnContention.SKIP);
			StepVerifier.create(this.template.mono(skipping, Mono::never)).expectComplete().verify(PATIENCE);
			StepVerifier.create(this.template.flux(skipping, Flux::never)).expectComplete().verify(PATIENCE);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void fallbackGivesAPublisherOrAValue() throws Exception {
		try (LockLease lease = this.elsewhere.lock("lock").acquire()) {
			StepVerifier
				.create(this.template.<String>mono(lock("lock").fallback((timeout) -> Mono.just(timeout.name())),
						Mono::never))
				.expectNext("lock")
				.expectComplete()
				.verify(PATIENCE);
			StepVerifier
				.create(this.template.<Integer>flux(lock("lock").fallback((timeout) -> Flux.range(1, 3)), Flux::never),
						1)
				.expectNext(1)
				.thenRequest(2)
				.expectNext(2, 3)
				.expectComplete()
				.verify(PATIENCE);
			StepVerifier
				.create(this.template.<String>flux(lock("lock").fallback((timeout) -> timeout.name()), Flux::never))
				.expectNext("lock")
				.expectComplete()
				.verify(PATIENCE);
			StepVerifier.create(this.template.<String>mono(lock("lock").fallback((timeout) -> {
				throw timeout;
			}), Mono::never)).expectError(LockTimeoutException.class).verify(PATIENCE);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void unavailableIsNeverSkipped() {
		this.locks.close();
		StepVerifier.create(this.template.mono(lock("lock").onContention(OnContention.SKIP), Mono::never))
			.expectError(LockUnavailableException.class)
			.verify(PATIENCE);
	}

	// Cancelling

	@Test
	void cancelWhileWaitingLeavesTheQueue() throws Exception {
		try (LockLease lease = this.elsewhere.lock("lock").acquire()) {
			Disposable subscription = this.template.mono(lock("lock"), Mono::never).subscribe();
			awaitNodes("lock", 2);
			subscription.dispose();
			awaitNodes("lock", 1);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void cancelReachesTheSourceAndGivesTheLockBack() throws Exception {
		CountDownLatch subscribed = new CountDownLatch(1);
		CompletableFuture<Boolean> heldWhenCancelled = new CompletableFuture<>();
		Disposable subscription = this.template.mono(lock("lock"), () -> {
			LockLease lease = CurrentLock.lease();
			return Mono.never()
				.doOnSubscribe((ignored) -> subscribed.countDown())
				.doOnCancel(() -> heldWhenCancelled.complete(lease.isHeld()));
		}).subscribe();
		assertThat(Patience.await(subscribed)).isTrue();
		subscription.dispose();
		assertThat(get(heldWhenCancelled)).isTrue();
		awaitFree("lock");
	}

	@Test
	void cancelReachesASourceThatEmitsWhileItIsSubscribedTo() throws Exception {
		Flux<Integer> endless = this.template.flux(lock("lock"), () -> Flux.generate((sink) -> sink.next(1)));
		StepVerifier.create(endless.take(5)).expectNextCount(5).expectComplete().verify(PATIENCE);
		awaitFree("lock");
		Mono<Integer> first = this.template.mono(lock("lock"),
				() -> Flux.<Integer>generate((sink) -> sink.next(1)).filter((value) -> value > 1));
		StepVerifier.create(first).expectSubscription().then(() -> awaitNodes("lock", 1)).thenCancel().verify(PATIENCE);
		awaitFree("lock");
	}

	/**
	 * The lock is handed over locally while the next in line is cancelled, 40,000 times
	 * unless the machine is slow. The one behind gets it in any case. Half of the bodies
	 * never end unless they are cancelled.
	 */
	@Test
	void cancelRacesGrant() throws Exception {
		AtomicInteger bodies = new AtomicInteger();
		AtomicInteger completed = new AtomicInteger();
		NamedLock lock = this.locks.lock("lock");
		Mono<String> ending = this.template.mono(lock("lock"), () -> {
			bodies.incrementAndGet();
			return Mono.just("value");
		});
		Flux<String> endless = this.template.flux(lock("lock"), () -> {
			bodies.incrementAndGet();
			return Flux.never();
		});
		LockLease lease = lock.acquire();
		long start = System.nanoTime();
		int race = 0;
		while (race < 40_000 && !(isLongSince(start) && completed.get() > 0 && bodies.get() > completed.get()
				&& bodies.get() < race)) {
			Disposable next = (race % 2 == 0) ? ending.subscribe((value) -> completed.incrementAndGet())
					: endless.subscribe();
			CompletableFuture<LockLease> behind = lock.acquireAsync(PATIENCE);
			int lead = (race / 2) % 128;
			CompletableFuture<Void> cancelling = CompletableFuture.runAsync(() -> {
				spin(4 * lead);
				next.dispose();
			}, this.callers);
			spin(64);
			lease.close();
			get(cancelling);
			lease = get(behind);
			race++;
		}
		lease.close();
		assertThat(completed.get()).as("completed").isPositive();
		assertThat(bodies.get()).as("cancelled while the body ran").isGreaterThan(completed.get()).isLessThan(race);
		awaitFree("lock");
	}

	@Test
	void cancelRacesGrantByTheServer() throws Exception {
		AtomicInteger bodies = new AtomicInteger();
		int races = 2_000;
		for (int race = 0; race < races; race++) {
			Disposable next = this.template.mono(lock("lock-" + race % 8), () -> {
				bodies.incrementAndGet();
				return Mono.never();
			}).subscribe();
			spin(race % 512);
			next.dispose();
		}
		for (int name = 0; name < 8; name++) {
			awaitFree("lock-" + name);
		}
		await().atMost(PATIENCE).until(() -> this.locks.held().isEmpty() && this.locks.waiting().isEmpty());
		assertThat(bodies.get()).isLessThan(races);
	}

}
