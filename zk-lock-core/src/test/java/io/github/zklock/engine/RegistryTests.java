package io.github.zklock.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Making and closing a registry, and what it keeps in memory.
 */
class RegistryTests extends LockTestSupport {

	RegistryTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	// Connecting

	@Test
	void connectsOnlyWhenItIsNeeded() throws Exception {
		ZooKeeperLocks locks = registry();
		locks.lock("lock");
		assertThat(server().view().sessions()).isEmpty();
		locks.start();
		awaitConnected(locks);
		assertThat(locks.zooKeeper().getState().isConnected()).isTrue();
	}

	@Test
	void handleIsReplacedAfterItsSession() throws Exception {
		ZooKeeperLocks locks = registry();
		ZooKeeper first = locks.zooKeeper();
		Sessions.expire(first);
		await().atMost(PATIENCE).until(() -> !first.getState().isAlive());
		await().atMost(PATIENCE).until(() -> locks.zooKeeper() != first);
		assertThat(locks.zooKeeper().getState().isConnected()).isTrue();
	}

	@Test
	void unreachableServerIsNamed() {
		FaultProxy proxy = proxy();
		proxy.refuse();
		ZooKeeperLocks locks = closing(
				builder(proxy.connectString(), LONG_SESSION).connectTimeout(Duration.ofMillis(50)).build());
		assertThatIllegalStateException().isThrownBy(locks::zooKeeper).withMessageContaining(proxy.connectString());
	}

	@Test
	void handlesMayComeFromElsewhere() throws Exception {
		AtomicInteger made = new AtomicInteger();
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder((watcher) -> {
			if (made.incrementAndGet() == 1) {
				throw new IOException("not now");
			}
			return new ZooKeeper(server().connectString() + chroot(), 10_000, watcher);
		}).build());
		locks.lock("lock").acquire().close();
		assertThat(made).hasValue(2);
	}

	@Test
	void clientConfigIsMadeByAThreadOfTheRegistry() throws Exception {
		AtomicReference<Thread> maker = new AtomicReference<>();
		ZooKeeperLocks locks = closing(builder().clientConfig(() -> {
			maker.set(Thread.currentThread());
			return new ZKClientConfig();
		}).build());
		assertThat(maker).hasValue(null);
		locks.lock("lock").acquire().close();
		assertThat(maker.get().getName()).startsWith("zk-lock-" + locks.instance());
	}

	@Test
	@Tag("H69")
	void rootAndChrootAreRespected() throws Exception {
		ZooKeeperLocks locks = closing(builder().root("/a/b").build());
		try (LockLease lease = locks.lock("x/y").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(server().view().children(chroot() + "/a/b/locks/x%2Fy")).hasSize(1)
				.first()
				.asString()
				.matches("_c_[0-9a-f-]{36}-lock-\\d{10}");
			String data = new String(locks.zooKeeper()
				.getData("/a/b/locks/x%2Fy/" + server().view().children(chroot() + "/a/b/locks/x%2Fy").get(0), false,
						null),
					StandardCharsets.UTF_8);
			assertThat(data).startsWith("zk-lock instance=")
				.contains("pid=" + ProcessHandle.current().pid(), "host=", "thread=", "since=");
		}
	}

	@Test
	void parentsAreContainers() throws Exception {
		ZooKeeperLocks locks = registry();
		locks.lock("lock").acquire().close();
		assertThat(server().server().getZKDatabase().getDataTree().getContainers())
			.contains(chroot() + "/zk-lock/locks/lock")
			.doesNotContain(chroot() + "/zk-lock", chroot() + "/zk-lock/locks");
	}

	// Bad input

	@Test
	void badOptionsAreNamed() {
		ZooKeeperLocks.Builder builder = builder();
		assertThatIllegalArgumentException().isThrownBy(() -> builder.sessionTimeout(Duration.ZERO))
			.withMessageContaining("'sessionTimeout'");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.closeWait(Duration.ofMillis(-1)))
			.withMessageContaining("'closeWait'");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.root("no-slash"));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.sequenceLimit(0))
			.withMessageContaining("'sequenceLimit'");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.acl(List.of())).withMessageContaining("'acl'");
		assertThatIllegalArgumentException().isThrownBy(() -> ZooKeeperLocks.builder("host:2181/a//b"));
	}

	@Test
	@SuppressWarnings("NullAway")
	void badNamesAndWaitsAreNamed() throws Exception {
		ZooKeeperLocks locks = registry();
		assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> locks.lock(null))
			.withMessageContaining("name");
		assertThatIllegalArgumentException().isThrownBy(() -> locks.lock("")).withMessageContaining("empty");
		assertThatIllegalArgumentException().isThrownBy(() -> locks.lock("\ud800")).withMessageContaining("Unicode");
		NamedLock lock = locks.lock("lock");
		assertThatIllegalArgumentException().isThrownBy(() -> lock.tryAcquire(Duration.ofNanos(-1)))
			.withMessageContaining("'lock'");
		assertThatIllegalArgumentException().isThrownBy(() -> lock.acquireAsync(Duration.ofSeconds(Long.MIN_VALUE)))
			.withMessageContaining("'lock'");
		assertThat(server().view().children(chroot())).isEmpty();
		try (LockLease lease = lock.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow()) {
			assertThatIllegalArgumentException().isThrownBy(() -> lease.close(Duration.ofNanos(-1)))
				.withMessageContaining("'lock'");
			assertThat(lease.isHeld()).isTrue();
		}
		assertThat(lock.tryLock(-5, TimeUnit.DAYS)).isTrue();
		lock.unlock();
	}

	@Test
	void anyNameIsALock() throws Exception {
		ZooKeeperLocks locks = registry();
		ZooKeeperLocks others = registry();
		for (String name : List.of("/", "..", ".", "a/../../b", "\u0000", "\uD83D\uDD12", " ", "%", "%2F",
				"x".repeat(4096), "\u00e9\u20ac", "zookeeper", "a.b", "\n", "locks")) {
			try (LockLease lease = locks.lock(name).acquire()) {
				assertThat(lease.name()).isEqualTo(name);
				assertThat(others.lock(name).tryLock()).isFalse();
				assertThat(nodes(name)).hasSize(1);
			}
		}
		assertThat(server().view().children(chroot())).containsExactly("zk-lock");
		assertThat(server().view().children(chroot() + "/zk-lock")).containsExactly("locks");
		assertThat(server().view().children(chroot() + "/zk-lock/locks")).hasSize(15);
	}

	// Closing

	@Test
	void closeRefusesNewRequestsAndThoseWhoWait() throws Exception {
		ZooKeeperLocks locks = registry();
		LockLease elsewhere = registry().lock("lock").acquire();
		NamedLock lock = locks.lock("lock");
		CompletableFuture<LockLease> future = lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> thread = acquire(lock);
		awaitNodes("lock", 2);
		locks.close();
		locks.close();
		for (CompletableFuture<LockLease> waiting : List.of(future, thread, lock.acquireAsync(PATIENCE))) {
			assertThat(waiting).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("'lock'")
				.withMessageContaining("closed");
		}
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(lock::lock);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> locks.lock("new").lock())
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("new"));
		assertThatIllegalStateException().isThrownBy(locks::zooKeeper).withMessageContaining("closed");
		assertThat(nodes("lock")).hasSize(1);
		elsewhere.close();
	}

	@Test
	@Tag("H17")
	void closeWaitsForHolders() throws Exception {
		ZooKeeperLocks locks = builder().closeWait(PATIENCE).build();
		LockLease lease = locks.lock("lock").acquire();
		CompletableFuture<Void> closing = call(() -> {
			locks.close();
			return null;
		});
		await().atMost(PATIENCE).until(() -> keeper(locks).isClosed());
		assertThat(lease.isHeld()).isTrue();
		assertThat(closing).isNotDone();
		lease.close();
		get(closing);
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void closeTakesLocksAwayBeforeItFreesThem() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = registry(proxy);
		LockLease lease = locks.lock("lock").acquire();
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		FaultProxy.Trigger delete = proxy.hold(Direction.TO_SERVER, Operation.DELETE, 1);
		CompletableFuture<Void> closing = call(() -> {
			locks.close();
			return null;
		});
		assertThat(delete.await(PATIENCE)).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(Patience.await(lost)).isTrue();
		assertThat(nodes("lock")).hasSize(1);
		proxy.heal();
		get(closing);
		awaitNodes("lock", 0);
	}

	@Test
	void holderMayCloseTheRegistry() {
		ZooKeeperLocks locks = builder().closeWait(Duration.ofDays(1)).build();
		locks.lock("lock").lock();
		locks.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locks.lock("lock").unlock());
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void closeEndsLingeringAtOnce() throws Exception {
		ZooKeeperLocks locks = builder().closeWait(Duration.ofDays(1)).build();
		locks.lock("lock").acquire().close(Duration.ofDays(1));
		locks.close();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void closeOfAnInterruptedThreadFreesAllAndKeepsTheInterrupt() throws Exception {
		for (int round = 0; round < 10; round++) {
			ZooKeeperLocks locks = builder().build();
			locks.lock("lock").acquire();
			Thread.currentThread().interrupt();
			locks.close();
			assertThat(Thread.interrupted()).isTrue();
			assertThat(nodes("lock")).isEmpty();
		}
	}

	@Test
	@Tag("H86")
	void closeRacesUseWithoutADeadlockOrAForgottenRequest() throws Exception {
		for (int round = 0; round < 30; round++) {
			ZooKeeperLocks locks = builder().closeWait(Duration.ofMillis(100)).build();
			locks.zooKeeper();
			CompletableFuture<Void> user = call(() -> {
				try {
					for (int use = 0; use < 1_000; use++) {
						locks.lock("lock-" + use % 3).lock();
						locks.lock("lock-" + use % 3).unlock();
					}
				}
				catch (LockUnavailableException | LockLostException ex) {
					assertThat(ex.name()).startsWith("lock-");
				}
				return null;
			});
			CompletableFuture<LockLease> future = locks.lock("lock-0").acquireAsync(PATIENCE);
			future.thenAccept(LockLease::close);
			get(call(() -> {
				locks.close();
				return null;
			}));
			get(user);
			assertThat(future).satisfies((done) -> await().atMost(PATIENCE).until(done::isDone));
		}
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(server().view().sessions()).isEmpty());
	}

	@Test
	@Tag("H51")
	void closedRegistriesLeaveNeitherSessionsNorThreads() throws Exception {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		for (int round = 0; round < 20; round++) {
			ZooKeeperLocks locks = builder().build();
			if (round % 2 == 0) {
				locks.start();
			}
			if (round % 3 == 0) {
				locks.lock("lock").acquire();
			}
			locks.close();
		}
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(server().view().sessions()).isEmpty();
			assertThat(server().view().watchCount()).isZero();
			assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> !before.contains(thread) && thread.getName().contains("zk-lock"))
				.isEmpty();
		});
	}

	@Test
	@Tag("H47")
	void closeWithoutAConnectionIsBounded() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = registry(proxy, Duration.ofSeconds(4));
		locks.lock("lock").acquire();
		proxy.refuse();
		awaitDisconnected(locks);
		locks.close();
		awaitNodes("lock", 0);
	}

	// Memory

	@Test
	@Tag("H52")
	void heldLockIsFoundAgainAndForgottenOnesAreNotKept() throws Exception {
		ZooKeeperLocks locks = registry();
		locks.lock("held").lock();
		for (int index = 0; index < 1_000; index++) {
			locks.lock("name-" + index);
		}
		await().atMost(PATIENCE).untilAsserted(() -> {
			System.gc();
			locks.lock("another");
			assertThat(engine(locks).queues().size()).isLessThan(10);
		});
		assertThat(locks.lock("held").isHeldByCurrentThread()).isTrue();
		assertThat(locks.lock("held").tryLock()).isTrue();
		locks.lock("held").unlock();
		locks.lock("held").unlock();
	}

	@Test
	@Tag("H65")
	void connectionsThatAreClosedAtOnceDoNotConfuse() throws Exception {
		FaultProxy proxy = proxy();
		proxy.refuse();
		ZooKeeperLocks locks = registry(proxy);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.lock("lock").tryAcquire(Duration.ofMillis(100)))
			.withMessageContaining(proxy.connectString());
	}

	// Rights

	/**
	 * A server answers "no right to create" before "exists already".
	 */
	@Test
	void rootThatOthersHaveMadeNeedsNoRightsAboveIt() throws Exception {
		ZooKeeperLocks operator = registry();
		ZooKeeper handle = operator.zooKeeper();
		handle.create("/closed", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		handle.create("/closed/locks-of-ours", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		handle.setACL("/closed", Ids.READ_ACL_UNSAFE, -1);
		ZooKeeperLocks locks = closing(builder().root("/closed/locks-of-ours").build());
		locks.lock("lock").acquire().close();
	}

	@Test
	@Tag("H68")
	void creatorsLocksExcludeStrangersWithAClearError() throws Exception {
		ZooKeeperLocks owner = closing(
				builder().root("/private").acl(Ids.CREATOR_ALL_ACL).authInfo("digest", "user:secret").build());
		ZooKeeperLocks stranger = closing(builder().root("/private").build());
		owner.lock("lock").acquire().close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> stranger.lock("lock").lock())
			.withMessageContaining("'lock'")
			.withMessageContaining("NoAuth");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> stranger.lock("lock").tryLock())
			.withMessageContaining("NoAuth");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> stranger.lock("other").tryAcquire(PATIENCE));
		assertThat(stranger.lock("lock").acquireAsync(PATIENCE)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		owner.lock("lock").acquire().close();
	}

}
