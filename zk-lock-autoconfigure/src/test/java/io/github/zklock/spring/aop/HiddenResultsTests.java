package io.github.zklock.spring.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.Stream;

import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.testing.Patience;
import io.reactivex.rxjava3.core.Single;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Methods whose signatures do not tell that their results come later: by their generic
 * types they are locked until then, and what nobody can know before the call fails it.
 */
class HiddenResultsTests extends LockedBeansSupport {

	private static boolean isLocked() {
		return !isFree("hidden");
	}

	@Test
	void publisherOfGenericSuperclassHoldsItsLock() {
		Mono<Boolean> locked = start(MonoJob.class).getBean(MonoJob.class).run();
		for (int round = 0; round < 2; round++) {
			assertThat(locked.block(PATIENCE)).isTrue();
			assertThat(isFree("hidden")).isTrue();
		}
	}

	@Test
	void stageOfGenericSuperclassHoldsItsLock() throws Exception {
		StageJob job = start(StageJob.class).getBean(StageJob.class);
		CompletableFuture<String> result = job.run();
		await().atMost(PATIENCE).until(job::isStarted);
		assertThat(isLocked()).isTrue();
		job.end();
		assertThat(Patience.get(result)).isEqualTo("ended");
		assertThat(isFree("hidden")).isTrue();
	}

	@Test
	void futureOfGenericSuperclassIsRefused() {
		assertThat(failure(FutureJob.class)).hasMessage("@DistributedLock on " + Job.class.getName()
				+ ".run() returns a Future, and nobody can tell when that is complete.");
	}

	@Test
	@SuppressWarnings("unchecked")
	void publisherOfLambdaFails() {
		Task<Mono<String>> task = start(LambdaConfiguration.class).getBean(Task.class);
		assertThatIllegalStateException().isThrownBy(task::run)
			.withMessageStartingWith("@DistributedLock on " + Task.class.getName() + ".run() ends when the method "
					+ "returns, but it has returned a reactor.core.publisher.Mono")
			.withMessageContaining("Declare what the method returns");
		assertThat(isFree("hidden")).isTrue();
	}

	@ParameterizedTest
	@MethodSource
	void unforeseenResultFails(Object result) {
		Anything anything = start(Anything.class).getBean(Anything.class);
		assertThatIllegalStateException().isThrownBy(() -> anything.call(result))
			.withMessageContaining(result.getClass().getName())
			.withMessageContaining("would run without protection");
		assertThat(isFree("hidden")).isTrue();
	}

	@Test
	void unforeseenFutureIsCancelled() {
		Anything anything = start(Anything.class).getBean(Anything.class);
		List<Future<String>> futures = List.of(new CompletableFuture<>(), new FutureTask<>(() -> "value"));
		for (Future<String> future : futures) {
			assertThatIllegalStateException().isThrownBy(() -> anything.call(future));
			assertThat(future.isCancelled()).isTrue();
		}
	}

	static Stream<Object> unforeseenResultFails() {
		return Stream.of(Mono.just("value"), Single.just("value"), new SubmissionPublisher<>(),
				new CompletableFuture<>(), new CompletableFuture<>().minimalCompletionStage(),
				new FutureTask<>(() -> "value"));
	}

	@Test
	void resultThatIsThereIsReturned() {
		Anything anything = start(Anything.class).getBean(Anything.class);
		CompletableFuture<String> complete = CompletableFuture.completedFuture("value");
		CompletionStage<String> stage = complete.minimalCompletionStage();
		assertThat(anything.call(complete)).isSameAs(complete);
		assertThat(anything.call(stage)).isSameAs(stage);
		assertThat(anything.call("value")).isEqualTo("value");
		assertThat(anything.call(null)).isNull();
	}

	@Test
	void onlyTheLeaderSubscribes() {
		LeadingMono leading = startLeading(true, LeadingMono.class).getBean(LeadingMono.class);
		awaitLeadership();
		Mono<String> led = leading.run();
		assertThat(led.block(PATIENCE)).isEqualTo("led");
		locks().election("shop").leave();
		assertThat(led.blockOptional(PATIENCE)).isEmpty();
	}

	@Test
	void unforeseenResultOfTheLeaderFails() {
		LeadingAnything leading = startLeading(true, LeadingAnything.class).getBean(LeadingAnything.class);
		awaitLeadership();
		assertThat(leading.call("value")).isEqualTo("value");
		assertThatIllegalStateException().isThrownBy(() -> leading.call(Mono.just("value")))
			.withMessageStartingWith("@LeaderOnly on " + LeadingAnything.class.getName());
		locks().election("shop").leave();
	}

	private static void awaitLeadership() {
		await().atMost(PATIENCE).until(locks().election("shop").leadership()::isLeader);
	}

	abstract static class Job<R> {

		@DistributedLock("hidden")
		public R run() {
			return work();
		}

		abstract R work();

	}

	static class MonoJob extends Job<Mono<Boolean>> {

		@Override
		Mono<Boolean> work() {
			return Mono.fromCallable(HiddenResultsTests::isLocked);
		}

	}

	static class StageJob extends Job<CompletableFuture<String>> {

		private final CompletableFuture<String> ending = new CompletableFuture<>();

		private volatile boolean started;

		@Override
		CompletableFuture<String> work() {
			this.started = true;
			return this.ending;
		}

		boolean isStarted() {
			return this.started;
		}

		void end() {
			this.ending.complete("ended");
		}

	}

	static class FutureJob extends Job<Future<String>> {

		@Override
		Future<String> work() {
			return new FutureTask<>(() -> "value");
		}

	}

	interface Task<R> {

		@DistributedLock("hidden")
		R run();

	}

	@Configuration(proxyBeanMethods = false)
	static class LambdaConfiguration {

		@Bean
		Task<Mono<String>> task() {
			return () -> Mono.fromCallable(() -> "value");
		}

	}

	static class Anything {

		@DistributedLock("hidden")
		public @Nullable Object call(@Nullable Object result) {
			return result;
		}

	}

	abstract static class LeadingJob<R> {

		@LeaderOnly
		public R run() {
			return work();
		}

		abstract R work();

	}

	static class LeadingMono extends LeadingJob<Mono<String>> {

		@Override
		Mono<String> work() {
			return Mono.fromCallable(() -> "led");
		}

	}

	static class LeadingAnything {

		@LeaderOnly
		public @Nullable Object call(Object result) {
			return result;
		}

	}

}
