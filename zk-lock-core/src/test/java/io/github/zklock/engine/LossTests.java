package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

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
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that are lost, and what is told to whom.
 */
class LossTests extends LockTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(6);

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SHORT_SESSION);

	private final NamedLock lock = this.locks.lock("lock");

	private final NamedLock elsewhere = registry().lock("lock");

	LossTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void expiredSessionLosesItsLocksOnceAndForAll() throws Exception {
		LockLease lease = this.lock.acquire();
		CountDownLatch lost = new CountDownLatch(1);
		AtomicInteger calls = new AtomicInteger();
		lease.onLost(() -> {
			calls.incrementAndGet();
			lost.countDown();
		});
		Sessions.expire(this.locks.zooKeeper());
		assertThat(Patience.await(lost)).isTrue();
		assertThat(lease.isHeld()).isFalse();
		CountDownLatch afterwards = new CountDownLatch(1);
		lease.onLost(afterwards::countDown);
		assertThat(Patience.await(afterwards)).as("at once if already lost").isTrue();
		lease.close();
		try (LockLease next = this.lock.acquire()) {
			assertThat(next.isHeld()).isTrue();
			assertThat(lease.isHeld()).isFalse();
		}
		assertThat(calls).hasValue(1);
	}

	@Test
	@Tag("H03")
	void silentConnectionIsLostBeforeTheLockIsFree() throws Exception {
		LockLease lease = this.lock.acquire();
		CompletableFuture<Boolean> heldWhenGranted = new CompletableFuture<>();
		CompletableFuture<LockLease> next = this.elsewhere.acquireAsync(PATIENCE).thenApply((granted) -> {
			heldWhenGranted.complete(lease.isHeld());
			return granted;
		});
		awaitNodes("lock", 2);
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		long session = this.locks.zooKeeper().getSessionId();
		this.proxy.swallow();
		keepOnServer(session);
		assertThat(Patience.await(lost)).isTrue();
		assertThat(next).as("told while the server still keeps the lock").isNotDone();
		server().server().closeSession(session);
		assertThat(get(heldWhenGranted)).isFalse();
		get(next).close();
	}

	@Test
	@Tag("H13")
	@Tag("H80")
	void reentryAfterLossIsRefusedUntilTheThreadHasUnlocked() throws Exception {
		this.lock.lock();
		this.lock.lock();
		LockLease lease = this.lock.lease().orElseThrow();
		Sessions.expire(this.locks.zooKeeper());
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::lock)
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("lock"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::tryLock);
		assertThat(this.lock.lease()).containsSame(lease);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		this.lock.lock();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
	}

	/**
	 * Also the model's plant "badclose".
	 */
	@Test
	@Tag("H14")
	void lostHoldStaysLostWhenTheSameSessionComesBack() throws Exception {
		LockLease lease = this.lock.acquire();
		long session = this.locks.zooKeeper().getSessionId();
		this.proxy.hold(Direction.TO_CLIENT);
		awaitLeaseEnd(this.locks);
		assertThat(lease.isHeld()).isFalse();
		this.proxy.heal();
		try (LockLease next = this.lock.acquire()) {
			assertThat(this.locks.zooKeeper().getSessionId()).as("the same session").isEqualTo(session);
			assertThat(lease.isHeld()).isFalse();
			lease.close();
			assertThat(next.isHeld()).isTrue();
			assertThat(next.fencingToken()).isPositive();
			assertThat(nodes("lock")).as("the node of the lost hold is gone, the other is not").hasSize(1);
		}
	}

	@Test
	void lossDoesNotWaitForTheLoserToClose() throws Exception {
		this.lock.acquire();
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> third = this.lock.acquireAsync(PATIENCE);
		Sessions.expire(this.locks.zooKeeper());
		get(second).close();
		get(third).close();
	}

	@Test
	void waitersOfALostSessionQueueAgain() throws Exception {
		LockLease holder = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		List<String> before = nodes("lock");
		Sessions.expire(this.locks.zooKeeper());
		// It may be back before anybody has seen that it was gone
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(nodes("lock")).hasSize(2).filteredOn((node) -> !before.contains(node)).hasSize(1));
		assertThat(waiting).isNotDone();
		holder.close();
		get(waiting).close();
	}

	/**
	 * The model's plant "noV": the lease ends, the server expires the session, and only
	 * then comes the list that shows the own node as the lowest.
	 */
	@Test
	@Tag("H05")
	void grantThatComesTooLateIsConfirmedFirst() throws Exception {
		warmUp(this.locks, "lock");
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.GET_CHILDREN, 1);
		CompletableFuture<LockLease> late = this.lock.acquireAsync(PATIENCE);
		assertThat(held.await(PATIENCE)).isTrue();
		assertNotToldWhileAnotherHolds(late);
	}

	/**
	 * Expire the session as a server may, when the lease of all that it has acknowledged
	 * is over, give the lock to another, and only then let the client hear what was on
	 * its way.
	 */
	private void assertNotToldWhileAnotherHolds(CompletableFuture<LockLease> late) throws Exception {
		ZooKeeper victim = this.locks.zooKeeper();
		this.proxy.hold(Direction.TO_SERVER);
		awaitLeaseEnd(this.locks);
		expireOnServer(victim);
		try (LockLease holder = this.elsewhere.acquire()) {
			this.proxy.release(Direction.TO_CLIENT);
			awaitDisconnected(this.locks);
			assertThat(late).isNotDone();
			this.proxy.heal();
			awaitNodes("lock", 2);
			assertThat(late).isNotDone();
			assertThat(holder.isHeld()).isTrue();
		}
		get(late).close();
	}

	/**
	 * The model's plant "badhand": the same for a local hand-over.
	 */
	@Test
	@Tag("H05")
	void handOverThatComesTooLateIsNotMade() throws Exception {
		LockLease lease = warmUp(this.locks, "lock").lock("lock").acquire();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.GET_CHILDREN, 1);
		CompletableFuture<LockLease> late = this.lock.acquireAsync(PATIENCE);
		assertThat(held.await(PATIENCE)).isTrue();
		lease.close();
		assertNotToldWhileAnotherHolds(late);
	}

	/**
	 * Nobody has noticed yet that the lock is lost when the next caller asks for it.
	 */
	@Test
	void callerWhoFindsALossHearsOfTheNextOne() throws Exception {
		AtomicLong slept = new AtomicLong();
		ZooKeeperLocks sleepy = closing(with(builder(), (options) -> options.platform(new SystemPlatform() {

			@Override
			public long currentTimeMillis() {
				return super.currentTimeMillis() + slept.get();
			}

		})).build());
		LockLease first = sleepy.lock("lock").acquire();
		slept.set(100_000);
		try (LockLease second = get(acquire(sleepy.lock("lock")))) {
			assertThat(first.isLost()).isTrue();
			assertThat(keeper(sleepy).dependents()).hasSize(1);
			CountDownLatch lost = new CountDownLatch(1);
			second.onLost(lost::countDown);
			Sessions.expire(sleepy.zooKeeper());
			assertThat(Patience.await(lost)).isTrue();
		}
	}

	@Test
	@Tag("H12")
	void nodeDeletedByHandIsNoticed() throws Exception {
		ZooKeeperLocks operator = registry();
		LockLease lease = this.lock.acquire();
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		operator.zooKeeper().delete(parent("lock") + "/" + nodes("lock").get(0), -1);
		assertThat(Patience.await(lost)).isTrue();
		assertThat(lease.isHeld()).isFalse();
		get(waiting).close();
	}

	@Test
	@Tag("H12")
	void nodeOfAWaiterDeletedByHandIsReplaced() throws Exception {
		ZooKeeperLocks operator = registry();
		LockLease holder = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		String node = nodes("lock").stream().filter((name) -> !name.endsWith("0000000000")).findFirst().orElseThrow();
		operator.zooKeeper().delete(parent("lock") + "/" + node, -1);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(nodes("lock")).hasSize(2).doesNotContain(node));
		holder.close();
		get(waiting).close();
	}

	@Test
	void writingToTheNodeByHandIsNoLoss() throws Exception {
		ZooKeeperLocks operator = registry();
		LockLease lease = this.lock.acquire();
		String node = parent("lock") + "/" + nodes("lock").get(0);
		await().atMost(PATIENCE).until(() -> server().view().watchCount() == 1);
		for (int write = 0; write < 3; write++) {
			operator.zooKeeper().setData(node, new byte[] { 1 }, -1);
			await().atMost(PATIENCE).until(() -> server().view().watchCount() == 1);
		}
		assertThat(lease.isHeld()).isTrue();
		operator.zooKeeper().delete(node, -1);
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
	}

	@Test
	@Tag("H44")
	void queueThatIsDeletedByHandIsLostToItsHolderAndServesTheWaiter() throws Exception {
		ZooKeeperLocks operator = registry();
		LockLease lease = this.lock.acquire();
		CompletableFuture<LockLease> waiting = this.elsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		for (String node : nodes("lock")) {
			operator.zooKeeper().delete(parent("lock") + "/" + node, -1);
		}
		get(waiting).close();
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
	}

	@Test
	void lossWhileLingeringIsNobodysBusiness() throws Exception {
		LockLease lease = this.lock.acquire();
		AtomicInteger calls = new AtomicInteger();
		lease.onLost(calls::incrementAndGet);
		lease.close(Duration.ofDays(1));
		Sessions.expire(this.locks.zooKeeper());
		this.elsewhere.acquire().close();
		assertThat(calls).hasValue(0);
	}

	@Test
	void disconnectedZeroWaitIsUnavailableAtOnce() throws Exception {
		warmUp(this.locks, "lock");
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.lock::tryLock)
			.withMessageContaining("'lock'")
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("lock"));
	}

	@Test
	void unansweredZeroWaitIsUnavailableSoon() throws Exception {
		ZooKeeperLocks usual = closing(
				ZooKeeperLocks.builder(this.proxy.connectString() + chroot()).sessionTimeout(LONG_SESSION).build());
		warmUp(usual, "lock");
		this.proxy.swallow();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(usual.lock("lock")::tryLock);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(450),
				LONG_SESSION.dividedBy(2));
		// Or the registry's end waits until its client notices
		this.proxy.heal();
		this.proxy.cut();
	}

	@Test
	@Tag("H82")
	void deadlineHoldsWithoutAServer() throws Exception {
		warmUp(this.locks, "lock");
		this.proxy.refuse();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.lock.tryAcquire(Duration.ofMillis(200)))
			.withMessageContaining("'lock'");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(200), PATIENCE);
	}

	@Test
	@Tag("H82")
	void deadlineHoldsForAFutureAndBeforeTheFirstConnection() {
		this.proxy.refuse();
		assertThat(this.lock.acquireAsync(Duration.ofMillis(200))).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	@Test
	@Tag("H90")
	void serverThatComesLaterIsFound() throws Exception {
		this.proxy.refuse();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		this.proxy.heal();
		get(waiting).close();
	}

	@Test
	@Tag("H83")
	void firstZeroWaitOfARegistrySucceeds() {
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

}
