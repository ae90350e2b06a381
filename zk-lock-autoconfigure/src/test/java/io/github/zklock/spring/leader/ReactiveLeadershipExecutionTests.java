package io.github.zklock.spring.leader;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLostException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.spring.OnLost;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Publishers to which only a leader subscribes.
 */
class ReactiveLeadershipExecutionTests extends LeaderTestSupport {

	private final LosableLeadership losable = new LosableLeadership();

	private final AtomicBoolean cancelled = new AtomicBoolean();

	ReactiveLeadershipExecutionTests(@ConnectString String connectString) {
		super(connectString);
	}

	@AfterEach
	void closeLosable() {
		this.losable.close();
	}

	private ReactiveLeadershipExecution losable(OnLost onLost) {
		return new ReactiveLeadershipExecution(new LeadershipExecution(this.losable.leadership(), onLost));
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
		CompletableFuture<Boolean> stopping = run(application.roles()::stop);
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
		Flux<Integer> flux = losable(onLost).flux(Flux.just(1, 2, 3), Flux.empty());
		assertThat(flux.collectList().block(PATIENCE)).containsExactly(1, 2, 3);
		this.losable.awaitNoWork();
	}

	@ParameterizedTest
	@EnumSource
	void failureGoesToTheSubscriber(OnLost onLost) {
		IOException own = new IOException("own");
		assertThat(losable(onLost).mono(Mono.error(own), Mono.empty()).toFuture()).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isSameAs(own);
		assertThat(own).hasNoSuppressedExceptions();
		this.losable.awaitNoWork();
	}

	@Test
	void lossCancelsTheSource() {
		CompletableFuture<?> result = losable(OnLost.INTERRUPT).mono(noting(Mono.<String>never()), Mono.empty())
			.toFuture();
		this.losable.lose();
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(this.cancelled).isTrue();
		this.losable.awaitNoWork();
	}

	@Test
	void lossBeforeTheSubscriptionIsCompleteCancelsTheSource() {
		Mono<String> source = noting(Mono.<String>never());
		CompletableFuture<?> result = losable(OnLost.INTERRUPT).mono(Mono.defer(() -> {
			this.losable.lose();
			return source;
		}), Mono.empty()).toFuture();
		assertThat(result).failsWithin(PATIENCE);
		assertThat(this.cancelled).isTrue();
		this.losable.awaitNoWork();
	}

	@Test
	void lossFailsTheResultInTheEnd() {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = losable(OnLost.THROW).mono(source.asMono(), Mono.empty()).toFuture();
		this.losable.lose();
		assertThat(result).isNotDone();
		source.tryEmitValue("done");
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		this.losable.awaitNoWork();
	}

	@Test
	void failureOfTheSourceWinsAndMentionsTheLoss() {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = losable(OnLost.THROW).mono(source.asMono(), Mono.empty()).toFuture();
		this.losable.lose();
		IOException own = new IOException("own");
		source.tryEmitError(own);
		assertThat(result).failsWithin(PATIENCE).withThrowableThat().havingCause().isSameAs(own);
		assertThat(own.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
	}

	@Test
	void lossIsIgnored() throws Exception {
		Sinks.One<String> source = Sinks.one();
		CompletableFuture<?> result = losable(OnLost.IGNORE).mono(source.asMono(), Mono.empty()).toFuture();
		this.losable.lose();
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
		Mono<String> job = losable(OnLost.INTERRUPT).mono(Mono.never(), Mono.<String>empty())
			.subscribeOn(Schedulers.parallel());
		for (int race = 0; race < races; race++) {
			subscription[0] = job.subscribe();
			barrier.await();
			barrier.await();
		}
		get(canceller);
		this.losable.awaitNoWork();
	}

}
