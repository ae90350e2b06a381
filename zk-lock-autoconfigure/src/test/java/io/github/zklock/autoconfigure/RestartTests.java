package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.zklock.LockInspector;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockProbe;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.testing.Patience;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Applications that are stopped and started again, on the same beans.
 */
class RestartTests extends ServerTestSupport {

	RestartTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private static ConfigurableApplicationContext context(AssertableApplicationContext context) {
		return context.getSourceApplicationContext(ConfigurableApplicationContext.class);
	}

	private static void restart(AssertableApplicationContext context) {
		context(context).stop();
		context(context).start();
	}

	// Locks

	@Test
	void keptLockGoesOnWorkingInANewSession() {
		runner().run((context) -> {
			NamedLock lock = context.getBean(LockRegistry.class).lock("name");
			ZooKeeperClient client = context.getBean(ZooKeeperClient.class);
			lock.lock();
			lock.unlock();
			String instance = client.instance();
			Set<Long> sessions = server().view().sessions();
			for (int round = 0; round < 3; round++) {
				restart(context);
				assertThat(lock.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
				assertThat(lock.isHeldByCurrentThread()).isTrue();
				assertThat(server().view().sessions()).hasSize(1).doesNotContainAnyElementsOf(sessions);
				lock.unlock();
				assertThat(lock.isHeldByCurrentThread()).isFalse();
			}
			assertThat(client.instance()).isEqualTo(instance);
			assertThat(client.zooKeeper().getState().isConnected()).isTrue();
		});
	}

	@Test
	void pausedContextHasNoSession() {
		runner().run((context) -> {
			NamedLock lock = context.getBean(LockRegistry.class).readLock("name");
			lock.lock();
			lock.unlock();
			context(context).pause();
			assertThat(server().view().sessions()).isEmpty();
			context(context).restart();
			lock.lock();
			lock.unlock();
		});
	}

	@Test
	void holdOfAnEarlierRunWasLost() {
		runner().run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			NamedLock lock = registry.lock("name");
			lock.lock();
			LockLease lease = registry.readLock("other").acquire();
			restart(context);
			assertThat(lease.isHeld()).isFalse();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(lock.lease()).hasValueSatisfying((own) -> assertThat(own.isHeld()).isFalse());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
				.satisfies((ex) -> assertThat(ex.name()).isEqualTo("name"));
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			assertThat(LockProbe.answered(() -> lock.tryLock())).isTrue();
			lock.unlock();
		});
	}

	@Test
	void holdThatWasLostIsToldWhileStoppedToo() {
		runner().run((context) -> {
			NamedLock lock = context.getBean(LockRegistry.class).writeLock("name");
			NamedLock reading = context.getBean(LockRegistry.class).readLock("name");
			reading.lock();
			context(context).stop();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(reading::unlock);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(reading::unlock)
				.withMessageContaining("Read lock 'name'");
		});
	}

	@Test
	void nothingIsHadWhileStopped() {
		runner().run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockInspector inspector = context.getBean(LockInspector.class);
			ZooKeeperClient client = context.getBean(ZooKeeperClient.class);
			NamedLock lock = registry.lock("name");
			context(context).stop();
			assertThat(client.isRunning()).isFalse();
			for (NamedLock any : List.of(lock, registry.writeLock("new"))) {
				assertUnavailable(any::lock);
				assertUnavailable(any::tryLock);
				assertUnavailable(any::lockInterruptibly);
				assertUnavailable(() -> any.tryLock(1, TimeUnit.HOURS));
				assertUnavailable(any::acquire);
				assertUnavailable(() -> any.tryAcquire(Duration.ofHours(1)));
				assertThat(any.acquireAsync(Duration.ofHours(1))).failsWithin(PATIENCE)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class);
				assertThat(any.isHeldByCurrentThread()).isFalse();
				assertThat(any.lease()).isEmpty();
			}
			LeaderElection election = registry.election("role");
			assertUnavailable(election::join);
			assertUnavailable(election::leader);
			assertUnavailable(election::participants);
			election.leave();
			assertThat(election.leadership().isLeader()).isFalse();
			assertThat(election.leadership().since()).isEmpty();
			assertThat(election.leadership().begin()).isEmpty();
			assertThat(election.leadership().run(() -> {
				throw new AssertionError();
			})).isFalse();
			assertThatIllegalStateException().isThrownBy(election.leadership()::fencingToken);
			assertUnavailable(() -> inspector.queue("name"));
			assertUnavailable(() -> inspector.queueOfRole("role"));
			assertUnavailable(() -> inspector.breakLock("name"));
			assertThat(inspector.held()).isEmpty();
			assertThat(inspector.waiting()).isEmpty();
			assertThatIllegalStateException().isThrownBy(client::zooKeeper).withMessageContaining("stopped");
		});
	}

	private static void assertUnavailable(ThrowingCallable call) {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call).withMessageContaining("stopped");
	}

	@Test
	void badNamesAreRefusedWhileStoppedToo() {
		runner().run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatIllegalArgumentException().isThrownBy(() -> registry.lock(""));
			context(context).stop();
			assertThatIllegalArgumentException().isThrownBy(() -> registry.readLock(""));
			assertThatIllegalArgumentException().isThrownBy(() -> registry.election("\ud800"));
		});
	}

	@Test
	void waitingRequestEndsWithTheRun() {
		runner().run((context) -> {
			NamedLock lock = context.getBean(LockRegistry.class).lock("name");
			LockLease lease = lock.acquire();
			CompletableFuture<LockLease> waiting = lock.acquireAsync(Duration.ofHours(1));
			context(context).stop();
			assertThat(waiting).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class);
			assertThat(lease.isHeld()).isFalse();
		});
	}

	@Test
	void stopWaitsForHolders() {
		runner().withPropertyValues("zk.lock.shutdown.wait=20s").run((context) -> {
			NamedLock lock = context.getBean(LockRegistry.class).lock("name");
			AtomicBoolean lost = new AtomicBoolean();
			LockLease lease = lock.acquire();
			lease.onLost(() -> lost.set(true));
			CompletableFuture<Void> stopping = CompletableFuture.runAsync(context(context)::stop, this.callers);
			await().atMost(PATIENCE).until(() -> isRefused(lock));
			assertThat(lease.isHeld()).isTrue();
			assertThat(stopping).isNotDone();
			lease.close();
			assertThat(stopping).succeedsWithin(PATIENCE);
			assertThat(lost).isFalse();
		});
	}

	private static boolean isRefused(NamedLock lock) throws InterruptedException {
		try {
			lock.tryAcquire(Duration.ZERO).ifPresent(LockLease::close);
			return false;
		}
		catch (LockUnavailableException ex) {
			assertThat(ex.getMessage()).containsAnyOf("closed", "stopped");
			return true;
		}
	}

	@Test
	void executorsMayLockWhileTheyStop() {
		runner().withUserConfiguration(LocksWhileItStops.class).run((context) -> {
			LocksWhileItStops.Task task = context.getBean(LocksWhileItStops.Task.class);
			context(context).close();
			assertThat(task.locked).isTrue();
		});
	}

	@Test
	void beansMayLockWhileTheyAreMade() {
		runner().withUserConfiguration(LocksWhileItIsMade.class)
			.run((context) -> assertThat(context.getBean(LocksWhileItIsMade.Made.class).token()).isPositive());
	}

	// Elections

	@Test
	void electionKeepsItsListenersButNotItsPlace() {
		runner().run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LeaderElection election = registry.election("role");
			assertThat(registry.election("role")).isSameAs(election);
			Leadership leadership = election.leadership();
			Events events = new Events();
			election.addListener(events);
			election.join();
			events.expect("granted");
			long first = leadership.fencingToken();
			assertThat(leadership.isLeader()).isTrue();
			assertThat(election.leader()).hasValueSatisfying((leader) -> assertThat(leader.self()).isTrue());
			context(context).stop();
			events.expect("revoked");
			assertThat(leadership.isLeader()).isFalse();
			context(context).start();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(election.participants()).isEmpty();
			election.join();
			events.expect("granted");
			assertThat(leadership.fencingToken()).isGreaterThan(first);
			election.removeListener(events);
			restart(context);
			Events others = new Events();
			election.addListener(others);
			election.join();
			others.expect("granted");
			election.leave();
			others.expect("revoked");
			assertThat(events.heard).isEmpty();
		});
	}

	@Test
	void workOfAnEarlierRunDoesNotLeadInALaterOne() {
		runner().run((context) -> {
			LeaderElection election = context.getBean(LockRegistry.class).election("role");
			Leadership leadership = election.leadership();
			election.join();
			await().atMost(PATIENCE).until(leadership::isLeader);
			List<Boolean> answers = new ArrayList<>();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> leadership.run(() -> {
				answers.add(leadership.isLeader());
				CompletableFuture.runAsync(() -> restart(context), this.callers).join();
				assertThat(Thread.interrupted()).isTrue();
				election.join();
				CompletableFuture<Boolean> leads = CompletableFuture.supplyAsync(() -> {
					await().atMost(PATIENCE).until(leadership::isLeader);
					return true;
				}, this.callers);
				assertThat(leads).succeedsWithin(PATIENCE);
				answers.add(leadership.isLeader());
			}));
			assertThat(answers).containsExactly(true, false);
			assertThat(leadership.isLeader()).isTrue();
		});
	}

	// Again and again

	@Test
	@Tag("H51")
	void manyContextsLeaveNothingBehind() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		for (int round = 0; round < 50; round++) {
			runner().run((context) -> {
				context.getBean(LockRegistry.class).lock("name").lock();
				context.getBean(LockRegistry.class).election("role").join();
			});
		}
		assertThat(server().view().ephemeralCount()).isZero();
		assertThat(server().view().sessions()).isEmpty();
		assertThat(server().view().children(chroot() + "/zk-lock/locks/name")).isEmpty();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> !before.contains(thread))
				.extracting(Thread::getName)
				.noneMatch((name) -> name.contains("zk-lock") || name.contains("SendThread")
						|| name.contains("-EventThread")));
	}

	private static final class Events implements LeadershipListener {

		private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

		@Override
		public void granted(String role, long fencingToken) {
			this.heard.add("granted");
		}

		@Override
		public void revoked(String role, long fencingToken) {
			this.heard.add("revoked");
		}

		void expect(String event) throws InterruptedException {
			assertThat(Patience.poll(this.heard)).isEqualTo(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LocksWhileItStops {

		@Bean
		Task task(LockRegistry registry) {
			return new Task(registry);
		}

		static final class Task implements SmartLifecycle {

			private final LockRegistry registry;

			private boolean running;

			private boolean locked;

			Task(LockRegistry registry) {
				this.registry = registry;
			}

			@Override
			public void start() {
				this.running = true;
			}

			@Override
			public void stop() {
				this.running = false;
				this.locked = LockProbe.answered(this.registry.lock("late")::tryLock);
			}

			@Override
			public boolean isRunning() {
				return this.running;
			}

			@Override
			public int getPhase() {
				return ExecutorConfigurationSupport.DEFAULT_PHASE;
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LocksWhileItIsMade {

		@Bean
		Made made(LockRegistry registry) throws InterruptedException {
			try (LockLease lease = registry.lock("early").acquire()) {
				return new Made(lease.fencingToken());
			}
		}

		record Made(long token) {

		}

	}

}
