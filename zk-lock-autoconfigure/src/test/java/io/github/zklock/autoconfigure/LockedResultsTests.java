package io.github.zklock.autoconfigure;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockProbe;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.OnContention;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods whose results come later.
 */
@EmbeddedZooKeeperTest
class LockedResultsTests {

	private final ZooKeeperLocks others;

	private final ConfigurableApplicationContext context;

	private final Service service;

	LockedResultsTests(@ConnectString String connectString) {
		this.others = ZooKeeperLocks.builder(connectString).connectTimeout(PATIENCE).build();
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("zk.lock.connect-string=" + connectString, "zk.lock.max-wait=" + PATIENCE,
					"spring.aop.proxy-target-class=false",
					"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
			.run();
		this.service = this.context.getBean(Service.class);
	}

	@AfterEach
	void close() {
		this.context.close();
		this.others.close();
	}

	private boolean isFree(String name) {
		return LockProbe.isFree(this.others, name);
	}

	/**
	 * Subscribe, and once more while ZooKeeper has not answered who does not want to
	 * wait.
	 */
	private static <T> @Nullable T block(Mono<T> result) {
		return LockProbe.<@Nullable T>answered(() -> result.block(PATIENCE));
	}

	@Test
	void monoHoldsItsLockForEachSubscription() {
		Mono<Boolean> result = this.service.mono("a", Mono.fromSupplier(() -> isFree("mono-a")));
		assertThat(isFree("mono-a")).as("before anybody subscribes").isTrue();
		assertThat(block(result)).as("free inside").isFalse();
		assertThat(block(result)).as("free inside, once more").isFalse();
		assertThat(isFree("mono-a")).isTrue();
	}

	@Test
	void fluxHoldsItsLockUntilItIsComplete() {
		List<Boolean> free = block(
				this.service.flux("a", Flux.just(1, 2).map((value) -> isFree("flux-a"))).collectList());
		assertThat(free).containsExactly(false, false);
		assertThat(isFree("flux-a")).isTrue();
	}

	@Test
	void stageRunsOnTheApplicationsExecutorAndHoldsItsLockUntilItIsComplete() throws Exception {
		CompletableFuture<String> open = new CompletableFuture<>();
		CompletableFuture<String> thread = new CompletableFuture<>();
		CompletableFuture<String> result = this.service.stage("a", thread, open);
		assertThat(Patience.get(thread)).startsWith("task-");
		assertThat(isFree("stage-a")).isFalse();
		open.complete("done");
		assertThat(Patience.get(result)).isEqualTo("done");
		assertThat(isFree("stage-a")).isTrue();
	}

	@Test
	void contentionFailsTheResultOrEmptiesIt() throws Exception {
		try (LockLease mono = this.others.lock("mono-a").acquire();
				LockLease flux = this.others.lock("flux-a").acquire();
				LockLease stage = this.others.lock("skip").acquire()) {
			assertThat(List.of(mono, flux, stage)).allMatch(LockLease::isHeld);
			Mono<Boolean> refused = this.service.mono("a", Mono.just(true));
			assertThatThrownBy(() -> block(refused)).isInstanceOf(LockTimeoutException.class);
			assertThat(block(this.service.flux("a", Flux.just(true)).collectList())).isEmpty();
			assertThat(LockProbe.answered(() -> Patience.get(this.service.skippedStage()))).isEmpty();
		}
	}

	@Test
	void nameIsEvaluatedAtTheCall() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.service.mono(null, Mono.just(true)))
			.withMessageContaining("mono-#{#name}")
			.withMessageContaining("null");
	}

	@Test
	@SuppressWarnings("unchecked")
	void methodOfAGenericInterfaceHoldsItsLock() {
		Job<Mono<Boolean>> job = this.context.getBean(Job.class);
		assertThat(job.run().block(PATIENCE)).as("held inside").isTrue();
		assertThat(isFree("job")).isTrue();
	}

	@Test
	void eachTickOfAReactiveScheduleTakesTheLockAnew() {
		Set<Long> tokens = this.context.getBean(Ticks.class).tokens;
		await().atMost(PATIENCE).until(() -> tokens.size() > 2);
	}

	@Test
	void aspectsInsideSeeEachSubscriptionAndKnowWhatIsCalled() {
		Calls calls = this.context.getBean(Calls.class);
		Mono<Boolean> result = this.service.mono("b", Mono.just(true));
		block(result);
		assertThat(calls.count).hasValue(1);
		block(result);
		assertThat(calls.count).hasValue(2);
	}

	interface Service {

		Mono<Boolean> mono(@Nullable String name, Mono<Boolean> body);

		Flux<Boolean> flux(String name, Flux<Boolean> body);

		CompletableFuture<String> stage(String name, CompletableFuture<String> thread, CompletableFuture<String> open);

		CompletableFuture<Optional<String>> skippedStage();

	}

	static class RealService implements Service {

		@Override
		@DistributedLock(name = "mono-#{#name}", maxWait = "0")
		public Mono<Boolean> mono(@Nullable String name, Mono<Boolean> body) {
			CurrentLock.assertHeld("mono-" + name);
			return body;
		}

		@Override
		@DistributedLock(name = "flux-#{#name}", onContention = OnContention.SKIP)
		public Flux<Boolean> flux(String name, Flux<Boolean> body) {
			CurrentLock.assertHeld("flux-" + name);
			return body;
		}

		@Override
		@DistributedLock("stage-#{#name}")
		public CompletableFuture<String> stage(String name, CompletableFuture<String> thread,
				CompletableFuture<String> open) {
			CurrentLock.assertHeld("stage-" + name);
			thread.complete(Thread.currentThread().getName());
			return open;
		}

		@Override
		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public CompletableFuture<Optional<String>> skippedStage() {
			return CompletableFuture.completedFuture(Optional.of("ran"));
		}

	}

	interface Job<R> {

		R run();

	}

	static class MonoJob implements Job<Mono<Boolean>> {

		@Override
		@DistributedLock("job")
		public Mono<Boolean> run() {
			return Mono.just(CurrentLock.lease("job").isHeld());
		}

	}

	static class Ticks {

		private final Set<Long> tokens = new ConcurrentSkipListSet<>();

	}

	interface Schedule {

		Mono<Void> tick();

	}

	static class ReactiveSchedule implements Schedule {

		private final Ticks ticks;

		ReactiveSchedule(Ticks ticks) {
			this.ticks = ticks;
		}

		@Override
		@Scheduled(fixedDelay = 10)
		@DistributedLock("tick")
		public Mono<Void> tick() {
			this.ticks.tokens.add(CurrentLock.lease().fencingToken());
			return Mono.empty();
		}

	}

	@Aspect
	static class Calls {

		private final AtomicInteger count = new AtomicInteger();

		@Before("execution(* io.github.zklock.autoconfigure.LockedResultsTests.Service.mono(..))")
		public void count(JoinPoint call) {
			assertThat(call.getArgs()).isNotEmpty();
			this.count.incrementAndGet();
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class Application {

		@Bean
		Service service() {
			return new RealService();
		}

		@Bean
		Job<Mono<Boolean>> job() {
			return new MonoJob();
		}

		@Bean
		Ticks ticks() {
			return new Ticks();
		}

		@Bean
		Schedule schedule(Ticks ticks) {
			return new ReactiveSchedule(ticks);
		}

		@Bean
		Calls calls() {
			return new Calls();
		}

	}

}
