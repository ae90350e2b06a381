package io.github.zklock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLostException;
import io.github.zklock.LockProbe;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LeadershipGrantedEvent;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.NotLeaderException;
import io.github.zklock.spring.OnContention;
import io.github.zklock.spring.OnLost;
import io.github.zklock.spring.OnNotLeading;
import io.github.zklock.testing.Callers;
import io.github.zklock.testing.Patience;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
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
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods in several applications, as users have them.
 */
@EmbeddedZooKeeperTest
class LeaderOnlyTests {

	private final String connectString;

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	// The common pool may have one thread only
	private final Callers callers = new Callers();

	LeaderOnlyTests(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@AfterEach
	void closeAll() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
		this.callers.close();
	}

	private ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(configuration)
			.web(WebApplicationType.NONE)
			.properties("spring.application.name=shop", "zk.lock.connect-string=" + this.connectString,
					"zk.lock.session.connect-timeout=" + PATIENCE, "zk.lock.max-wait=" + PATIENCE,
					"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
			.properties(properties)
			.run();
		this.contexts.add(context);
		return context;
	}

	private ConfigurableApplicationContext startLeader(Class<?> configuration) {
		ConfigurableApplicationContext context = start(configuration);
		awaitLeader(context);
		return context;
	}

	private static void awaitLeader(ConfigurableApplicationContext context) {
		await().atMost(PATIENCE).until(() -> context.getBean(Leadership.class).isLeader());
	}

	@Test
	void onlyTheLeaderRunsWhateverTheMethodReturns() throws Exception {
		Jobs leading = startLeader(Application.class).getBean(Jobs.class);
		Jobs following = start(Application.class).getBean(Jobs.class);
		leading.job();
		following.job();
		assertThat(leading.runs()).isEqualTo(1);
		assertThat(following.runs()).isZero();
		assertThat(leading.optional()).contains("ran");
		assertThat(following.optional()).isEmpty();
		assertThat(leading.boxed()).isEqualTo(7);
		assertThat(following.boxed()).isNull();
		assertThat(leading.stage().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("ran");
		assertThat(following.stage().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNull();
		assertThat(leading.mono().blockOptional(PATIENCE)).contains("ran");
		assertThat(following.mono().blockOptional(PATIENCE)).isEmpty();
		assertThat(leading.flux().collectList().block(PATIENCE)).containsExactly("one", "two");
		assertThat(following.flux().collectList().block(PATIENCE)).isEmpty();
		assertThat(leading.strict()).isEqualTo(1);
		assertThatExceptionOfType(NotLeaderException.class).isThrownBy(following::strict)
			.withMessageContaining("'shop'")
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("shop"));
	}

	@Test
	void reactiveMethodsAskAtEachSubscription() {
		ConfigurableApplicationContext first = startLeader(Application.class);
		ConfigurableApplicationContext second = start(Application.class);
		Mono<String> result = second.getBean(Jobs.class).mono();
		assertThat(result.blockOptional(PATIENCE)).isEmpty();
		first.close();
		awaitLeader(second);
		assertThat(result.blockOptional(PATIENCE)).contains("ran");
	}

	@Test
	void leaderTakesTheLockInside() {
		Jobs leading = startLeader(Application.class).getBean(Jobs.class);
		Jobs following = start(Application.class).getBean(Jobs.class);
		assertThat(leading.locked(() -> assertThat(following.locked(() -> {
		})).as("does not wait for the lock if it does not lead").isNull())).isTrue();
	}

	@Test
	void applicationsExcludeEachOther() {
		Jobs first = start(Application.class).getBean(Jobs.class);
		Jobs second = start(Application.class).getBean(Jobs.class);
		Jobs third = start(Application.class).getBean(Jobs.class);
		assertThat(exclusive(first, "a", () -> {
			assertThat(exclusive(second, "a", () -> {
			})).isFalse();
			assertThat(exclusive(third, "b", () -> {
			})).isTrue();
		})).isTrue();
		assertThat(exclusive(third, "a", () -> {
		})).isTrue();
	}

	private static boolean exclusive(Jobs jobs, String name, Runnable task) {
		return LockProbe.answered(() -> jobs.exclusive(name, task));
	}

	@Test
	void handOverWaitsForTheRunningMethod() throws Exception {
		ConfigurableApplicationContext first = startLeader(Application.class);
		ConfigurableApplicationContext second = start(Application.class);
		Jobs leading = first.getBean(Jobs.class);
		Jobs following = second.getBean(Jobs.class);
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> running = CompletableFuture.runAsync(() -> leading.work(started, end), this.callers);
		assertThat(Patience.await(started)).isTrue();
		CompletableFuture<Void> closing = CompletableFuture.runAsync(first::close, this.callers);
		await().atMost(PATIENCE).until(() -> !first.getBean(Leadership.class).isLeader());
		following.job();
		assertThat(following.runs()).as("while the old leader works").isZero();
		assertThat(closing).isNotDone();
		end.countDown();
		Patience.get(running);
		Patience.get(closing);
		awaitLeader(second);
		following.job();
		assertThat(following.runs()).isEqualTo(1);
	}

	@Test
	void lossIsTreatedAsTheAnnotationSays() {
		ConfigurableApplicationContext context = start(Application.class, "zk.lock.session.timeout=10s",
				"zk.lock.session.server-tick=500ms");
		awaitLeader(context);
		Jobs jobs = context.getBean(Jobs.class);
		Runnable lose = () -> lose(context.getBean(ZooKeeperClient.class).zooKeeper());
		assertThat(jobs.ignoring(lose, context.getBean(Leadership.class))).isEqualTo("ran");
		awaitLeader(context);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.interrupted(lose))
			.withCauseExactlyInstanceOf(InterruptedException.class)
			.withMessageContaining("'shop'");
		assertThat(Thread.interrupted()).isFalse();
	}

	/**
	 * Somebody takes leadership away.
	 */
	private static void lose(ZooKeeper zooKeeper) {
		String path = "/zk-lock/leaders/shop";
		try {
			for (String child : zooKeeper.getChildren(path, false)) {
				zooKeeper.delete(path + "/" + child, -1);
			}
		}
		catch (KeeperException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void scheduledMethodsRunInTheLeaderOnly() {
		ConfigurableApplicationContext first = startLeader(SchedulingApplication.class);
		ConfigurableApplicationContext second = start(SchedulingApplication.class);
		Schedule leading = first.getBean(Schedule.class);
		Schedule following = second.getBean(Schedule.class);
		await().atMost(PATIENCE).until(leading::allHaveRun);
		assertThat(following.noneHasRun()).isTrue();
		first.close();
		await().atMost(PATIENCE).until(following::allHaveRun);
		assertThat(following.granted()).as("the event comes first").isTrue();
	}

	@Test
	void localLocksAreLedAtOnce() {
		Jobs jobs = start(Application.class, "zk.lock.type=local").getBean(Jobs.class);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(jobs.optional()).contains("ran"));
	}

	@Test
	void roleIsNeeded() {
		assertThatThrownBy(() -> start(Application.class, "spring.application.name="))
			.hasRootCauseInstanceOf(LockConfigurationException.class)
			.rootCause()
			.hasMessageContaining("no name")
			.extracting((ex) -> ((LockConfigurationException) ex).action())
			.asString()
			.contains("spring.application.name")
			.contains("role");
	}

	@Test
	void annotationsAreRefusedWhileDisabled() {
		assertThatThrownBy(() -> start(Application.class, "zk.lock.enabled=false"))
			.hasRootCauseInstanceOf(LockConfigurationException.class)
			.rootCause()
			.extracting((ex) -> ex.getMessage() + ((LockConfigurationException) ex).action())
			.asString()
			.contains("zk.lock.enabled")
			.contains("zk.lock.type=local");
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		private final AtomicInteger runs = new AtomicInteger();

		@LeaderOnly
		public void job() {
			this.runs.incrementAndGet();
		}

		int runs() {
			return this.runs.get();
		}

		@LeaderOnly
		public Optional<String> optional() {
			return Optional.of("ran");
		}

		@LeaderOnly
		public @Nullable Integer boxed() {
			return 7;
		}

		@LeaderOnly(onNotLeading = OnNotLeading.THROW)
		public int strict() {
			return 1;
		}

		@LeaderOnly
		public CompletableFuture<@Nullable String> stage() {
			return CompletableFuture.completedFuture("ran");
		}

		@LeaderOnly
		public Mono<String> mono() {
			return Mono.just("ran");
		}

		@LeaderOnly
		public Flux<String> flux() {
			return Flux.just("one", "two");
		}

		@LeaderOnly
		@DistributedLock("inside")
		public @Nullable Boolean locked(Runnable task) {
			task.run();
			return CurrentLock.lease("inside").isHeld();
		}

		@DistributedLock(name = "exclusive-#{#name}", onContention = OnContention.FALLBACK, fallback = "refused")
		public boolean exclusive(String name, Runnable task) {
			task.run();
			return true;
		}

		@SuppressWarnings("unused") // by the annotation
		private boolean refused(String name, Runnable task) {
			return false;
		}

		@LeaderOnly(onLost = OnLost.IGNORE)
		public @Nullable String ignoring(Runnable lose, Leadership leadership) {
			lose.run();
			await().pollInSameThread().atMost(PATIENCE).until(() -> !leadership.isLeader());
			return "ran";
		}

		@LeaderOnly
		public void interrupted(Runnable lose) throws InterruptedException {
			lose.run();
			assertThat(Patience.await(new CountDownLatch(1))).as("interrupted").isTrue();
		}

		@LeaderOnly
		public void work(CountDownLatch started, CountDownLatch end) {
			started.countDown();
			try {
				assertThat(Patience.await(end)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class SchedulingApplication {

		@Bean
		Schedule schedule() {
			return new Schedule();
		}

	}

	static class Schedule {

		private final AtomicInteger rate = new AtomicInteger();

		private final AtomicInteger delay = new AtomicInteger();

		private final AtomicInteger cron = new AtomicInteger();

		private volatile boolean granted;

		@Scheduled(fixedRate = 20)
		@LeaderOnly
		public void atFixedRate() {
			this.rate.incrementAndGet();
		}

		@Scheduled(fixedDelay = 20)
		@LeaderOnly
		void withFixedDelay() {
			this.delay.incrementAndGet();
		}

		@Scheduled(cron = "* * * * * *")
		@LeaderOnly
		public void byCron() {
			this.cron.incrementAndGet();
		}

		@EventListener
		public void granted(LeadershipGrantedEvent event) {
			this.granted = event.role().equals("shop") && event.fencingToken() > 0;
		}

		boolean granted() {
			return this.granted;
		}

		boolean allHaveRun() {
			return this.rate.get() > 0 && this.delay.get() > 0 && this.cron.get() > 0;
		}

		boolean noneHasRun() {
			return this.rate.get() + this.delay.get() + this.cron.get() == 0;
		}

	}

}
