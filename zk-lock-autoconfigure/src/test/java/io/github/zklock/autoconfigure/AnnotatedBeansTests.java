package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.LockProbe;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.CurrentLock;
import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.OnContention;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Annotated beans in applications that are configured by properties.
 */
class AnnotatedBeansTests extends ServerTestSupport {

	AnnotatedBeansTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ZooKeeperLocks others() {
		return ZooKeeperLocks.builder(connectString())
			.connectTimeout(PATIENCE)
			.serverTick(Duration.ofMillis(500))
			.closeWait(Duration.ZERO)
			.build();
	}

	// The order of advice

	@ParameterizedTest
	@CsvSource({ "zk.lock.order=-10, true", "zk.lock.order=-2147483648, true", "x.y=z, false" })
	void orderMovesTheAdvice(String property, boolean outside) {
		try (ZooKeeperLocks others = others()) {
			LeaderElection elsewhere = others.election("role");
			elsewhere.join();
			await().atMost(PATIENCE).until(elsewhere.leadership()::isLeader);
			runner().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
				.withUserConfiguration(RealService.class, Observer.class)
				.withPropertyValues(property)
				.run((context) -> {
					context.getBean(Service.class).call();
					context.getBean(Service.class).lead();
					List<String> seen = context.getBean(Observer.class).seen;
					if (outside) {
						assertThat(seen).containsExactly("call held");
					}
					else {
						assertThat(seen).containsExactly("call free", "lead free");
					}
				});
		}
	}

	// Proxies

	@ParameterizedTest
	@CsvSource({ "spring.aop.proxy-target-class=false, true", "x.y=z, false" })
	void proxiesAreOfTheKindThatIsWanted(String property, boolean byInterface) {
		runner().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(RealService.class)
			.withPropertyValues(property)
			.run((context) -> {
				Service service = context.getBean(Service.class);
				assertThat(AopUtils.isJdkDynamicProxy(service)).isEqualTo(byInterface);
				assertThat(AopUtils.isCglibProxy(service)).isNotEqualTo(byInterface);
				assertThat(service.call()).as("held inside").isTrue();
				await().atMost(PATIENCE).untilAsserted(() -> assertThat(service.lead()).as("leads").isTrue());
			});
	}

	// Who needs a session

	@ParameterizedTest
	@ValueSource(classes = { Locked.class, Leading.class })
	void annotatedBeanOpensASession(Class<?> bean) {
		runner().withUserConfiguration(bean)
			.run((context) -> await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(server().view().sessions()).hasSize(1)));
	}

	@Test
	void configuredRoleOpensASession() {
		runner().withPropertyValues("zk.lock.leader.roles=a")
			.run((context) -> await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(server().view().sessions()).hasSize(1)));
	}

	@Test
	void nobodyElseOpensASession() {
		runner().withUserConfiguration(NotAnnotated.class)
			.withPropertyValues("spring.application.name=shop")
			.run((context) -> {
				assertThat(context.getBean(ZooKeeperClient.class).isRunning()).isTrue();
				assertThat(context.getBean(ZooKeeperClient.class).session().opened()).isZero();
				assertThat(server().view().connectionCount()).isZero();
				context.getBean(LockRegistry.class).lock("name").acquire().close();
				assertThat(server().view().connectionCount()).isOne();
			});
	}

	// Roles

	@Test
	void configuredRolesAreJoined() {
		runner().withPropertyValues("zk.lock.leader.roles=a,b", "spring.application.name=shop").run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			awaitLeader(registry.election("a").leadership());
			awaitLeader(registry.election("b").leadership());
			assertThat(leadership(context, "b").isLeader()).isTrue();
			assertThat(registry.election("shop").participants()).as("not used by anybody").isEmpty();
			awaitLeader(context.getBean(Leadership.class));
			assertThat(registry.election("shop").participants()).hasSize(1);
		});
	}

	@Test
	void readinessIsFollowed() {
		runner().withPropertyValues("zk.lock.leader.roles=a").run((context) -> {
			awaitLeader(leadership(context, "a"));
			publish(context, ReadinessState.REFUSING_TRAFFIC);
			await().atMost(PATIENCE)
				.until(() -> context.getBean(LockRegistry.class).election("a").participants().isEmpty());
			publish(context, ReadinessState.ACCEPTING_TRAFFIC);
			awaitLeader(leadership(context, "a"));
		});
	}

	@Test
	void readinessIsNotFollowedIfNotWanted() {
		runner().withPropertyValues("zk.lock.leader.roles=a", "zk.lock.leader.follow-readiness=false")
			.run((context) -> {
				Leadership leadership = leadership(context, "a");
				awaitLeader(leadership);
				long token = leadership.fencingToken();
				publish(context, ReadinessState.REFUSING_TRAFFIC);
				assertThat(leadership.isLeader()).isTrue();
				assertThat(context.getBean(LockRegistry.class).election("a").participants()).hasSize(1);
				assertThat(leadership.fencingToken()).isEqualTo(token);
			});
	}

	private static void publish(AssertableApplicationContext context, ReadinessState state) {
		AvailabilityChangeEvent.publish(context.getSourceApplicationContext(), state);
	}

	private static Leadership leadership(AssertableApplicationContext context, String role) {
		return context.getBean("zkLockLeadership-" + role, Leadership.class);
	}

	private static void awaitLeader(Leadership leadership) {
		await().atMost(PATIENCE).until(leadership::isLeader);
	}

	// What is skipped

	@Test
	void skippedCallsAreLoggedForThoseWhoWantToKnow() throws Exception {
		try (LogRecorder log = new LogRecorder("io.github.zklock.spring", Level.DEBUG);
				ZooKeeperLocks others = others();
				LockLease lease = others.lock("skip").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			others.election("role").join();
			await().atMost(PATIENCE).until(others.election("role").leadership()::isLeader);
			ApplicationContextRunner runner = runner().withUserConfiguration(Skipping.class, RealService.class);
			runner.run((context) -> {
				Skipping skipping = context.getBean(Skipping.class);
				assertThat(skipped(log, skipping::nothing)).isEqualTo(skippedLock());
				assertThat(skipped(log, () -> assertThat(skipping.optional()).isEmpty())).isEqualTo(skippedLock());
				assertThat(skipped(log,
						() -> assertThat(skipping.stage().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNull()))
					.isEqualTo(skippedLock());
				assertThat(skipped(log, () -> assertThat(skipping.mono().blockOptional(PATIENCE)).isEmpty()))
					.isEqualTo(skippedLock());
				assertThat(skipped(log, () -> context.getBean(Service.class).lead()))
					.isEqualTo(List.of("DEBUG " + RealService.class.getName()
							+ ".lead() is skipped because this process does not lead in 'role'"));
			});
		}
	}

	private static List<String> skippedLock() {
		return List
			.of("DEBUG Lock 'skip' is held by others: the call that needs it is skipped, or replaced by its fallback");
	}

	private static List<String> skipped(LogRecorder log, Call call) {
		return LockProbe.answered(() -> {
			log.clear();
			call.run();
			return log.lines();
		});
	}

	interface Call {

		void run() throws Exception;

	}

	interface Service {

		boolean call();

		@Nullable Boolean lead();

	}

	static class RealService implements Service {

		@Override
		@DistributedLock("name")
		public boolean call() {
			return CurrentLock.lease("name").isHeld();
		}

		@Override
		@LeaderOnly("role")
		public @Nullable Boolean lead() {
			return true;
		}

	}

	static class Locked {

		@DistributedLock("name")
		public void call() {
		}

	}

	static class Leading {

		@LeaderOnly("role")
		public void call() {
		}

	}

	static class NotAnnotated {

		public void call() {
		}

	}

	static class Skipping {

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public void nothing() {
			throw new AssertionError();
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Optional<String> optional() {
			return Optional.of("ran");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public CompletableFuture<@Nullable String> stage() {
			return CompletableFuture.completedFuture("ran");
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public Mono<String> mono() {
			return Mono.just("ran");
		}

	}

	/**
	 * Sees whether the lock is held, in the place of advice of order 0.
	 */
	@Aspect
	@Order(0)
	static class Observer {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		@Before("execution(* io.github.zklock.autoconfigure.AnnotatedBeansTests.RealService.call())")
		public void call() {
			this.seen.add("call " + (isHeld() ? "held" : "free"));
		}

		@Before("execution(* io.github.zklock.autoconfigure.AnnotatedBeansTests.RealService.lead())")
		public void lead() {
			this.seen.add("lead " + (isHeld() ? "held" : "free"));
		}

		private static boolean isHeld() {
			try {
				CurrentLock.assertHeld("name");
				return true;
			}
			catch (IllegalStateException ex) {
				return false;
			}
		}

	}

}
