package io.github.zklock.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Registries that are stopped, as ZooKeeper sees it. What callers see is in the contract.
 */
class StoppingTests extends LockTestSupport {

	StoppingTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void eachRunHasASessionOfItsOwn() throws Exception {
		ZooKeeperLocks locks = registry();
		long earlier = 0;
		for (int round = 0; round < 3; round++) {
			LockLease lease = locks.lock("lock").acquire();
			assertThat(locks.session().id()).isNotEqualTo(earlier);
			earlier = locks.session().id();
			locks.stop();
			assertThat(lease.isLost()).isTrue();
			assertThat(server().view().sessions()).isEmpty();
			assertThat(locks.session().open()).isFalse();
			locks.resume();
			assertThat(server().view().sessions()).as("nobody needs one").isEmpty();
		}
	}

	/**
	 * The servers keep the session of a process that could not say good-bye.
	 */
	@Test
	void nodesThatCouldNotBeDeletedAreTheFirstMatterOfTheNextRun() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = registry(proxy);
		locks.lock("lock").lock();
		Set<Long> sessions = server().view().sessions();
		proxy.refuse();
		proxy.cut();
		awaitDisconnected(locks);
		locks.stop();
		assertThat(nodes("lock")).hasSize(1);
		assertThat(server().view().sessions()).isEqualTo(sessions);
		proxy.heal();
		locks.resume();
		awaitNodes("lock", 0);
		assertThat(server().view().sessions()).as("the old one has not expired").containsAll(sessions);
		sessions.forEach(server().server()::closeSession);
	}

	/**
	 * The second stop is thrown out before it has closed the session.
	 */
	@Test
	void sessionThatAStopHasNotClosedIsClosedInTheEnd() throws Exception {
		ZooKeeperLocks locks = warmUp(registry(), "lock");
		locks.stop();
		locks.resume();
		locks.lock("lock").acquire();
		long session = locks.session().id();
		keeper(locks).shutdown().end(() -> {
		});
		await().atMost(PATIENCE).until(() -> !server().view().sessions().contains(session));
	}

	@Test
	void sessionThatACloseHasNotClosedIsClosedInTheEnd() throws Exception {
		ZooKeeperLocks locks = warmUp(registry(), "lock");
		long session = locks.session().id();
		keeper(locks).shutdown().abandon();
		await().atMost(PATIENCE).until(() -> !server().view().sessions().contains(session));
	}

	/**
	 * The event loop is busy with the opening of a session while the registry is stopped
	 * and started.
	 */
	@Test
	void endOfARunThatComesLateDoesNotEndTheNextOne() throws Exception {
		CountDownLatch opening = new CountDownLatch(1);
		CountDownLatch mayOpen = new CountDownLatch(1);
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder((watcher) -> {
			opening.countDown();
			awaitQuietly(mayOpen);
			return new ZooKeeper(server().connectString() + chroot(), 30_000, watcher);
		}).closeWait(Duration.ZERO).connectTimeout(PATIENCE).build());
		CompletableFuture<LockLease> refused = locks.lock("lock").acquireAsync(PATIENCE);
		assertThat(Patience.await(opening)).isTrue();
		locks.stop();
		assertThat(refused).failsWithin(PATIENCE);
		locks.resume();
		assertThat(keeper(locks).reachability().outage().isRunning()).as("the outage of the run before").isFalse();
		CompletableFuture<LockLease> next = acquire(locks.lock("lock"));
		await().atMost(PATIENCE).until(() -> locks.waiting().size() == 1);
		mayOpen.countDown();
		get(next).close();
	}

	@Test
	void threadsEndWhileTheRegistryIsStopped() throws Exception {
		ZooKeeperLocks locks = closing(builder().instance("stopped-registry").build());
		locks.lock("lock").acquire().close();
		locks.stop();
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(100))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("zk-lock-stopped-registry")));
		locks.resume();
		locks.lock("lock").acquire().close();
	}

}
