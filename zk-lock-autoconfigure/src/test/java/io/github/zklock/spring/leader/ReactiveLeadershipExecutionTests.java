package io.github.zklock.spring.leader;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.spring.OnLost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Publishers to which only a leader subscribes.
 */
class ReactiveLeadershipExecutionTests extends LeaderTestSupport {

	private final ScriptedLeadership scripted = new ScriptedLeadership(Runnable::run);

	private final AtomicBoolean cancelled = new AtomicBoolean();

	ReactiveLeadershipExecutionTests(@ConnectString String connectString) {
		super(connectString);
	}

	private ReactiveLeadershipExecution scripted(OnLost onLost) {
		return new ReactiveLeadershipExecution(
				new LeadershipExecution(new RoleLeadership("scripted", () -> this.scripted), onLost));
	}

	/**
	 * A source that takes note when it is cancelled.
	 */
	private <T> Mono<T> noting(Mono<T> source) {
		return source.doOnCancel(() -> this.cancelled.set(true));
	}

	@Test
	void eachSubscriptionAsksAnew() {
		TestApplication application = leader();
		AtomicInteger runs = new AtomicInteger();
		Mono<String> job = new ReactiveLeadershipExecution(application.roles().execution(ROLE, OnLost.INTERRUPT))
			.mono(Mono.fromSupplier(() -> "run " + runs.incrementAndGet()), Mono.empty());
		assertThat(job.block(PATIENCE)).isEqualTo("run 1");
		application.refuseTraffic();
		awaitNotLeader(application.leadership(ROLE));
		assertThat(job.block(PATIENCE)).isNull();
		application.acceptTraffic();
		awaitLeader(application.leadership(ROLE));
		assertThat(job.block(PATIENCE)).isEqualTo("run 2");
	}

	@Test
	void successorWaitsForTheSubscription() throws Exception {
		TestApplication application = leader();
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = new ReactiveLeadershipExecution(
				application.roles().execution(ROLE, OnLost.INTERRUPT))
			.mono(source.asMono(), Mono.empty())
			.toFuture();
		CompletableFuture<Void> stopping = run(application.roles()::stop);
		awaitNotLeader(application.leadership(ROLE));
		assertThat(stopping).isNotDone();
		source.tryEmitValue("done");
		assertThat(get(result)).isEqualTo("done");
		get(stopping);
	}

	@Test
	void lossByTimeCancelsTheSubscription() {
		TestApplication application = leader("zk.lock.leader.hand-over-wait=0s");
		CompletableFuture<?> result = new ReactiveLeadershipExecution(
				application.roles().execution(ROLE, OnLost.INTERRUPT))
			.mono(noting(Mono.<String>never()), Mono.empty())
			.toFuture();
		application.roles().stop();
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(this.cancelled).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void emitsWhileLeading(OnLost onLost) {
		Flux<Integer> flux = scripted(onLost).flux(Flux.just(1, 2, 3), Flux.empty());
		assertThat(flux.collectList().block(PATIENCE)).containsExactly(1, 2, 3);
		assertThat(this.scripted.openWorks()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void failureGoesToTheSubscriber(OnLost onLost) {
		IOException own = new IOException("own");
		assertThat(scripted(onLost).mono(Mono.error(own), Mono.empty()).toFuture()).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isSameAs(own);
		assertThat(own).hasNoSuppressedExceptions();
		assertThat(this.scripted.openWorks()).isZero();
	}

	@Test
	void lossCancelsTheSource() {
		CompletableFuture<?> result = scripted(OnLost.INTERRUPT).mono(noting(Mono.<String>never()), Mono.empty())
			.toFuture();
		this.scripted.lose();
		assertThat(result).isCompletedExceptionally()
			.failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.cancelled).isTrue();
		assertThat(this.scripted.openWorks()).isZero();
	}

	@Test
	void lossBeforeTheSubscriptionIsCompleteCancelsTheSource() {
		Mono<String> source = noting(Mono.<String>never());
		CompletableFuture<?> result = scripted(OnLost.INTERRUPT).mono(Mono.defer(() -> {
			this.scripted.lose();
			return source;
		}), Mono.empty()).toFuture();
		assertThat(result).isCompletedExceptionally();
		assertThat(this.cancelled).isTrue();
		assertThat(this.scripted.openWorks()).isZero();
	}

	@Test
	void lossFailsTheResultInTheEnd() {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = scripted(OnLost.THROW).mono(source.asMono(), Mono.empty()).toFuture();
		this.scripted.lose();
		assertThat(result).isNotDone();
		source.tryEmitValue("done");
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(this.scripted.openWorks()).isZero();
	}

	@Test
	void failureOfTheSourceWinsAndMentionsTheLoss() {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = scripted(OnLost.THROW).mono(source.asMono(), Mono.empty()).toFuture();
		this.scripted.lose();
		IOException own = new IOException("own");
		source.tryEmitError(own);
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().havingCause().isSameAs(own);
		assertThat(own.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void lossIsIgnored() throws Exception {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = scripted(OnLost.IGNORE).mono(source.asMono(), Mono.empty()).toFuture();
		this.scripted.lose();
		source.tryEmitValue("done");
		assertThat(get(result)).isEqualTo("done");
	}

	@Test
	void cancelEndsTheWorkAtAnyMoment() throws Exception {
		int races = 5_000;
		CyclicBarrier barrier = new CyclicBarrier(2);
		Disposable[] subscription = new Disposable[1];
		CompletableFuture<Void> canceller = call(() -> {
			for (int race = 0; race < races; race++) {
				barrier.await();
				subscription[0].dispose();
				barrier.await();
			}
			return null;
		});
		Mono<String> job = scripted(OnLost.INTERRUPT).mono(Mono.never(), Mono.<String>empty())
			.subscribeOn(Schedulers.parallel());
		for (int race = 0; race < races; race++) {
			subscription[0] = job.subscribe();
			barrier.await();
			barrier.await();
		}
		get(canceller);
		await().atMost(PATIENCE).until(() -> this.scripted.openWorks() == 0);
	}

}
