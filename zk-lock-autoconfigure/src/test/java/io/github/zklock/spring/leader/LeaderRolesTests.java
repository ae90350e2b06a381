package io.github.zklock.spring.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.Leadership;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.OnLost;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * In which roles an application takes part, and when.
 */
class LeaderRolesTests extends LeaderTestSupport {

	LeaderRolesTests(@ConnectString String connectString) {
		super(connectString);
	}

	// Roles

	@Test
	void applicationWithoutRolesDoesNotTouchTheRegistry() {
		TestApplication application = application("spring.application.name=shop");
		application.context().stop();
		application.context().start();
		assertThat(application.roles().isRunning()).isTrue();
		assertThat(application.hasRegistry()).isFalse();
		assertThat(application.roles().roles()).isEmpty();
	}

	@Test
	void configuredRolesAreJoined() {
		TestApplication application = application("zk.lock.leader.roles=orders, reports");
		awaitLeader(application.election("orders").leadership());
		awaitLeader(application.election("reports").leadership());
		assertThat(application.roles().roles()).containsExactly("orders", "reports");
	}

	@Test
	void usedRoleIsJoined() {
		TestApplication application = application(Worker.class);
		awaitLeader(application.election(ROLE).leadership());
		assertThat(application.participants(ROLE)).containsExactly(application.instance());
	}

	@Test
	void roleOfLazyBeanIsJoinedWhenItIsMade() {
		TestApplication application = application(LazyWorker.class);
		assertThat(application.hasRegistry()).isFalse();
		application.context().getBean("worker");
		awaitLeader(application.election(ROLE).leadership());
	}

	@Test
	void roleIsUsedTwiceButJoinedOnce() {
		TestApplication application = leader("zk.lock.leader.roles=" + ROLE);
		assertThat(application.leadership(ROLE)).isSameAs(application.leadership(ROLE));
		assertThat(application.participants(ROLE)).hasSize(1);
		awaitEvents(application, "granted orders, leads");
	}

	@Test
	void defaultRoleIsTheNameOfTheApplication() {
		assertThat(application("spring.application.name=shop").roles().defaultRole()).isEqualTo("shop");
	}

	@Test
	void missingDefaultRoleIsExplained() {
		LeaderRoles roles = application().roles();
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(roles::defaultRole)
			.satisfies((ex) -> assertThat(ex.action()).contains("'spring.application.name'", "role ="));
	}

	@Test
	void emptyRoleIsRefused() {
		LeaderRoles roles = application().roles();
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> roles.use(""))
			.satisfies((ex) -> assertThat(ex.action()).contains("'zk.lock.leader.roles'"));
	}

	// Start and stop

	@Test
	void joinsLastAndLeavesFirst() {
		TestApplication observer = application();
		TestApplication application = application(
				(context) -> context.registerBean(Neighbour.class,
						() -> new Neighbour(context, () -> observer.participants(ROLE))),
				"zk.lock.leader.roles=" + ROLE);
		Neighbour neighbour = application.context().getBean(Neighbour.class);
		assertThat(neighbour.participantsAtStart).isEmpty();
		awaitEvents(application, "granted orders, leads");
		application.close();
		assertThat(neighbour.leadsAtStop).isFalse();
		assertThat(neighbour.participantsAtStop).isEmpty();
		assertThat(neighbour.eventsAtStop).containsExactly("granted orders, leads", "revoked orders");
	}

	@Test
	void takesPartAgainAfterARestart() {
		TestApplication application = leader();
		application.context().stop();
		assertThat(application.leadership(ROLE).isLeader()).isFalse();
		assertThat(application.participants(ROLE)).isEmpty();
		application.leadership("reports");
		assertThat(application.participants("reports")).isEmpty();
		application.context().start();
		awaitLeader(application.leadership(ROLE));
		awaitLeader(application.leadership("reports"));
		await().atMost(PATIENCE).until(() -> application.heard().events().size() == 4);
		application.roles().stop();
		await().atMost(PATIENCE).until(() -> application.heard().events().size() == 6);
		assertThat(application.heard().events().stream().filter((event) -> event.contains(ROLE)))
			.containsExactly("granted orders, leads", "revoked orders", "granted orders, leads", "revoked orders");
		assertThat(application.heard().events().stream().filter((event) -> event.contains("reports")))
			.containsExactly("granted reports, leads", "revoked reports");
	}

	@Test
	void startDuringTheStopJoinsAfterwards() throws Exception {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		long token = work.fencingToken();
		CountDownLatch stopped = new CountDownLatch(1);
		application.roles().stop(stopped::countDown);
		awaitNotLeader(application.leadership(ROLE));
		application.roles().start();
		assertThat(work.isLeader()).isTrue();
		work.close();
		assertThat(Patience.await(stopped)).isTrue();
		awaitLeader(application.leadership(ROLE));
		assertThat(application.leadership(ROLE).fencingToken()).isGreaterThan(token);
	}

	@Test
	void leavesAllRolesAtTheSameTime() throws Exception {
		TestApplication application = application("zk.lock.leader.roles=a,b,c,d", "zk.lock.leader.hand-over-wait=1h");
		// Whoever asks for them later has the role left
		List<Leadership> leaderships = application.roles().roles().stream().map(application::leadership).toList();
		List<LeaderWork> works = new ArrayList<>();
		for (Leadership leadership : leaderships) {
			awaitLeader(leadership);
			works.add(leadership.begin().orElseThrow());
		}
		CompletableFuture<Boolean> stopping = run(application.roles()::stop);
		leaderships.forEach(LeaderTestSupport::awaitNotLeader);
		for (LeaderWork work : works) {
			assertThat(stopping).isNotDone();
			assertThat(work.isLeader()).isTrue();
			work.close();
		}
		get(stopping);
		assertThat(application.roles().roles()).noneMatch((role) -> application.leadership(role).isLeader())
			.allMatch((role) -> application.participants(role).isEmpty());
	}

	@Test
	void doesNotWaitForEverForAnyRole() {
		TestApplication application = application("zk.lock.leader.roles=a,b,c,d",
				"zk.lock.leader.hand-over-wait=700ms");
		for (String role : application.roles().roles()) {
			awaitLeader(application.leadership(role));
			assertThat(application.leadership(role).begin()).isPresent();
		}
		long start = System.nanoTime();
		application.roles().stop();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(690), PATIENCE);
		assertThat(application.roles().roles()).noneMatch((role) -> application.leadership(role).isLeader())
			.allMatch((role) -> application.participants(role).isEmpty());
	}

	@Test
	void stopWithCallbackDoesNotBlock() throws Exception {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		CountDownLatch stopped = new CountDownLatch(1);
		application.roles().stop(stopped::countDown);
		assertThat(work.isLeader()).isTrue();
		assertThat(stopped.getCount()).isOne();
		assertThat(application.roles().isRunning()).isFalse();
		work.close();
		assertThat(Patience.await(stopped)).isTrue();
		assertThat(application.participants(ROLE)).isEmpty();
	}

	@Test
	void stopWithNothingToLeaveCallsBackAtOnce() {
		TestApplication application = application();
		CountDownLatch stopped = new CountDownLatch(1);
		application.roles().stop(stopped::countDown);
		assertThat(stopped.getCount()).isZero();
	}

	@Test
	void workThatStopsItsApplicationIsNotWaitedForAndNotLost() {
		TestApplication application = leader();
		String result = application.roles().execution(ROLE, OnLost.INTERRUPT).run(() -> {
			application.context().stop();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(application.participants(ROLE)).isEmpty();
			return "done";
		}, () -> "skipped");
		assertThat(result).isEqualTo("done");
	}

	@Test
	void workOfAnInjectedLeadershipThatStopsItsApplicationIsNotWaitedFor() throws Exception {
		TestApplication application = leader("zk.lock.leader.hand-over-wait=1h");
		Leadership leadership = application.leadership(ROLE);
		assertThat(get(call(() -> leadership.run(() -> {
			application.roles().stop();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(application.participants(ROLE)).isEmpty();
			assertThat(leadership.isLeader()).isFalse();
		})))).isTrue();
	}

	@Test
	void interruptEndsTheWaitForRunningWork() throws Exception {
		TestApplication application = leader();
		LeaderWork work = application.leadership(ROLE).begin().orElseThrow();
		CompletableFuture<Thread> stopping = new CompletableFuture<>();
		CompletableFuture<Boolean> interrupted = call(() -> {
			stopping.complete(Thread.currentThread());
			application.roles().stop();
			return Thread.currentThread().isInterrupted();
		});
		awaitNotLeader(application.leadership(ROLE));
		assertThat(interrupted).isNotDone();
		get(stopping).interrupt();
		assertThat(get(interrupted)).isTrue();
		assertThat(work.isLeader()).isFalse();
		assertThat(application.participants(ROLE)).isEmpty();
	}

	// Handing over

	@Test
	void successorsWaitForRunningWork() throws Exception {
		TestApplication first = leader();
		TestApplication second = follower(first);
		TestApplication third = follower(first);
		long firstToken = handOver(first, second);
		long secondToken = handOver(second, third);
		assertThat(secondToken).isGreaterThan(firstToken);
		assertThat(third.leadership(ROLE).fencingToken()).isGreaterThan(secondToken);
	}

	private long handOver(TestApplication leader, TestApplication successor) throws Exception {
		awaitLeader(leader.leadership(ROLE));
		LeaderWork work = leader.leadership(ROLE).begin().orElseThrow();
		long token = work.fencingToken();
		CompletableFuture<Boolean> ledTooEarly = new CompletableFuture<>();
		CountDownLatch ending = new CountDownLatch(1);
		successor.heard().whenGranted((role) -> ledTooEarly.complete(ending.getCount() > 0));
		Leadership leadership = leader.leadership(ROLE);
		CompletableFuture<Boolean> closing = run(leader::close);
		awaitNotLeader(leadership);
		assertThat(leadership.begin()).as("no more work").isEmpty();
		assertThat(work.isLeader()).as("running work").isTrue();
		assertThat(closing).isNotDone();
		ending.countDown();
		work.close();
		get(closing);
		assertThat(get(ledTooEarly)).isFalse();
		return token;
	}

	@Test
	void workThatTakesTooLongLosesLeadershipBeforeTheSuccessorLeads() throws Exception {
		TestApplication first = leader("zk.lock.leader.hand-over-wait=100ms");
		TestApplication second = follower(first);
		LeaderWork work = first.leadership(ROLE).begin().orElseThrow();
		CompletableFuture<Boolean> stillLed = new CompletableFuture<>();
		second.heard().whenGranted((role) -> stillLed.complete(work.isLeader()));
		first.close();
		assertThat(get(stillLed)).isFalse();
	}

	// Yielding

	@Test
	void yieldGivesTheRoleToTheNext() {
		TestApplication first = leader();
		TestApplication second = follower(first);
		assertThat(second.leadership(ROLE).yield()).isFalse();
		assertThat(first.leadership(ROLE).yield()).isTrue();
		awaitLeader(second.leadership(ROLE));
		awaitParticipants(second, ROLE, 2);
		assertThat(second.participants(ROLE)).containsExactly(second.instance(), first.instance());
		assertThat(second.leadership(ROLE).yield()).isTrue();
		awaitLeader(first.leadership(ROLE));
		awaitEvents(first, "granted orders, leads", "revoked orders", "granted orders, leads");
	}

	@Test
	void taskThatYieldsIsNotWaitedForAndNotLost() throws Exception {
		TestApplication application = leader("zk.lock.leader.hand-over-wait=1h");
		Leadership leadership = application.leadership(ROLE);
		long token = leadership.fencingToken();
		assertThat(get(call(() -> application.roles().execution(ROLE, OnLost.INTERRUPT).run(() -> {
			assertThat(leadership.yield()).isTrue();
			assertThat(leadership.isLeader()).as("in the old term").isFalse();
			assertThat(leadership.yield()).as("a later term").isFalse();
			return "done";
		}, () -> "skipped")))).isEqualTo("done");
		awaitLeader(leadership);
		assertThat(leadership.fencingToken()).isGreaterThan(token);
	}

	/**
	 * One task runs within another, and both within a leadership that somebody else is
	 * giving up: who has nothing to yield ends nothing.
	 */
	@Test
	void refusedYieldLeavesTheTaskAroundAlone() throws Exception {
		TestApplication application = leader("zk.lock.leader.hand-over-wait=1h");
		LeadershipExecution execution = application.roles().execution(ROLE, OnLost.INTERRUPT);
		Leadership leadership = application.leadership(ROLE);
		CompletableFuture<CompletableFuture<Boolean>> stopping = new CompletableFuture<>();
		assertThat(get(call(() -> execution.run(() -> {
			get(execution.runAsync(() -> {
				stopping.complete(run(application.roles()::stop));
				get(run(() -> awaitNotLeader(leadership)));
				assertThat(leadership.yield()).isFalse();
				return CompletableFuture.completedFuture(null);
			}, () -> CompletableFuture.failedFuture(new IllegalStateException("skipped"))));
			assertThat(leadership.isLeader()).as("waits for the task around").isTrue();
			assertThat(application.participants(ROLE)).hasSize(1);
			assertThat(get(stopping)).isNotDone();
			return "done";
		}, () -> "skipped")))).isEqualTo("done");
		get(get(stopping));
		assertThat(application.participants(ROLE)).isEmpty();
	}

	/**
	 * To leave may take long, but needs no thread that waits.
	 */
	@Test
	void leavingTakesNoThread() throws Exception {
		TestApplication application = application("zk.lock.leader.roles=a,b,c,d", "zk.lock.leader.hand-over-wait=1h");
		List<LeaderWork> works = new ArrayList<>();
		for (String role : application.roles().roles()) {
			awaitLeader(application.leadership(role));
			works.add(application.leadership(role).begin().orElseThrow());
		}
		CountDownLatch stopped = new CountDownLatch(1);
		application.roles().stop(stopped::countDown);
		assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
			.noneMatch((name) -> name.contains("leaving"));
		works.forEach(LeaderWork::close);
		assertThat(Patience.await(stopped)).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	static class Worker {

		@Bean
		Leadership worker(LeaderRoles roles) {
			return roles.use(ROLE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyWorker {

		@Bean
		@Lazy
		Leadership worker(LeaderRoles roles) {
			return roles.use(ROLE);
		}

	}

	/**
	 * Starts just before the elections and stops just after them.
	 */
	static class Neighbour implements SmartLifecycle {

		private final ApplicationContext context;

		private final Supplier<List<String>> participants;

		private List<String> participantsAtStart = List.of("not started");

		private List<String> participantsAtStop = List.of("not stopped");

		private List<String> eventsAtStop = List.of();

		private boolean leadsAtStop = true;

		private boolean running;

		Neighbour(ApplicationContext context, Supplier<List<String>> participants) {
			this.context = context;
			this.participants = participants;
		}

		@Override
		public void start() {
			this.running = true;
			this.participantsAtStart = this.participants.get();
		}

		@Override
		public void stop() {
			this.running = false;
			this.leadsAtStop = this.context.getBean(LeaderRoles.class).use(ROLE).isLeader();
			this.participantsAtStop = this.participants.get();
			this.eventsAtStop = this.context.getBean(HeardEvents.class).events();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return Integer.MAX_VALUE - 1;
		}

	}

}
