package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Lost requests and lost replies, in a session that survives.
 */
class RecoveryTests extends LockTestSupport {

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SESSION_WITHOUT_TICKS);

	private final NamedLock lock = this.locks.lock("lock");

	private final NamedLock elsewhere = registry().lock("lock");

	RecoveryTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws Exception {
		super(server, connectString);
		warmUp(this.locks, "lock");
		this.proxy.resetCounts();
	}

	/**
	 * Also the model's plant "norec".
	 */
	@Test
	@Tag("H30")
	void createWhoseReplyIsLostIsFoundAgain() throws Exception {
		FaultProxy.Trigger cut = this.proxy.cutAfter(Operation.CREATE, 1);
		try (LockLease lease = this.lock.acquire()) {
			assertThat(cut.hasFired()).isTrue();
			assertThat(nodes("lock")).hasSize(1);
			assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.CREATE)).isEqualTo(1);
			assertThat(lease.fencingToken()).isPositive();
		}
		assertThat(nodes("lock")).isEmpty();
		this.elsewhere.acquire().close();
	}

	@Test
	@Tag("H30")
	void createThatNeverArrivedIsSentAgain() throws Exception {
		this.proxy.cutBefore(Operation.CREATE, 1);
		try (LockLease lease = this.lock.acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1);
			assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.CREATE)).isEqualTo(2);
		}
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	@Tag("H10")
	@Tag("H93")
	void twoRequestsOfOneSessionNeverShareANode() throws Exception {
		this.proxy.cutAfter(Operation.CREATE, 1);
		CompletableFuture<LockLease> one = acquire(this.lock);
		CompletableFuture<LockLease> other = acquire(this.locks.lock("other"));
		assertThat(get(one).isHeld()).isTrue();
		assertThat(get(other).isHeld()).isTrue();
		assertThat(nodes("lock")).hasSize(1);
		assertThat(nodes("other")).hasSize(1).doesNotContainAnyElementsOf(nodes("lock"));
		get(one).close();
		get(other).close();
	}

	@Test
	@Tag("H32")
	void callerGivesUpWhileNobodyKnowsWhetherTheNodeExists() throws Exception {
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.lock.tryAcquire(Duration.ofSeconds(1)));
		assertThat(held.await(PATIENCE)).isTrue();
		awaitNodes("lock", 1);
		this.proxy.heal();
		awaitNodes("lock", 0);
	}

	@Test
	@Tag("H32")
	void callerGivesUpAndTheReplyIsLost() throws Exception {
		this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.lock.tryAcquire(Duration.ofSeconds(1)));
		awaitNodes("lock", 1);
		this.proxy.cut();
		this.proxy.heal();
		awaitNodes("lock", 0);
		this.elsewhere.acquire().close();
	}

	@Test
	void attemptWhoseCallerGaveUpIsAdoptedByTheNext() throws Exception {
		this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.lock.tryAcquire(Duration.ofSeconds(1)));
		CompletableFuture<LockLease> next = this.lock.acquireAsync(PATIENCE);
		this.proxy.heal();
		get(next).close();
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.CREATE)).isEqualTo(1);
		assertThat(nodes("lock")).isEmpty();
	}

	/**
	 * Also the model's plant "nomust".
	 */
	@Test
	@Tag("H33")
	void deleteThatNeverArrivedIsSentAgain() throws Exception {
		LockLease lease = this.lock.acquire();
		this.proxy.cutBefore(Operation.DELETE, 1);
		lease.close();
		assertThat(lease.isHeld()).isFalse();
		this.elsewhere.acquire().close();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	@Tag("H33")
	void deleteWhoseReplyIsLostIsSentAgainAndFindsNothing() throws Exception {
		LockLease lease = this.lock.acquire();
		this.proxy.cutAfter(Operation.DELETE, 1);
		lease.close();
		assertThat(nodes("lock")).isEmpty();
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.DELETE) == 2);
		this.lock.acquire().close();
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.DELETE)).isEqualTo(3);
	}

	@Test
	@Tag("H34")
	void lostDeleteWaitsForTheConnection() throws Exception {
		LockLease lease = this.lock.acquire();
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		lease.close();
		assertThat(nodes("lock")).hasSize(1);
		this.proxy.heal();
		awaitNodes("lock", 0);
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.DELETE)).isEqualTo(1);
	}

	@Test
	@Tag("H35")
	void predecessorThatWentDuringAnOutageIsNoticed() throws Exception {
		LockLease holder = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		holder.close();
		this.proxy.heal();
		get(waiting).close();
	}

	@Test
	@Tag("H35")
	void predecessorThatWentDuringAnOutageIsNoticedWithoutTheClientsOwnWatchesToo() throws Exception {
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "true");
		ZooKeeperLocks deaf = closing(builder(this.proxy.connectString(), LONG_SESSION).clientConfig(config).build());
		LockLease holder = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = deaf.lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		this.proxy.refuse();
		awaitDisconnected(deaf);
		holder.close();
		this.proxy.heal();
		get(waiting).close();
	}

	@Test
	@Tag("H37")
	void predecessorThatGivesUpDoesNotFreeTheLock() throws Exception {
		FaultProxy watched = proxy();
		ZooKeeperLocks third = registry(watched, SESSION_WITHOUT_TICKS);
		LockLease holder = this.elsewhere.acquire();
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> last = third.lock("lock").acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> watched.frames(Direction.TO_CLIENT, Operation.GET_DATA) == 1);
		second.cancel(false);
		await().atMost(PATIENCE).until(() -> watched.frames(Direction.TO_CLIENT, Operation.GET_DATA) == 2);
		awaitNodes("lock", 2);
		assertThat(last).isNotDone();
		holder.close();
		get(last).close();
	}

	/**
	 * The model's plant "givedel".
	 */
	@Test
	void localWaiterThatGivesUpLeavesTheSharedNode() throws Exception {
		LockLease holder = this.elsewhere.acquire();
		CompletableFuture<LockLease> first = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		first.cancel(false);
		holder.close();
		get(second).close();
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.CREATE)).isEqualTo(1);
	}

	/**
	 * The model's plant "sticky".
	 */
	@Test
	void whatWasKnownOfOthersIsForgottenWithTheConnection() throws Exception {
		LockLease lease = this.lock.acquire();
		CompletableFuture<LockLease> local = this.lock.acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_CHILDREN) == 2);
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		CompletableFuture<LockLease> remote = this.elsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		lease.close();
		assertThat(local).isNotDone();
		this.proxy.heal();
		LockLease next = get(remote);
		assertThat(local).isNotDone();
		next.close();
		get(local).close();
	}

	@Test
	@Tag("H42")
	void dataOfThePredecessorIsNotItsEnd() throws Exception {
		LockLease holder = this.elsewhere.acquire();
		String node = parent("lock") + "/" + nodes("lock").get(0);
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		for (int write = 1; write <= 3; write++) {
			int reads = write;
			await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) == reads);
			this.locks.zooKeeper().setData(node, new byte[] { 1 }, -1);
		}
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) == 4);
		assertThat(waiting).isNotDone();
		holder.close();
		get(waiting).close();
	}

	@Test
	@Tag("H43")
	void parentThatIsRemovedAgainAndAgainIsMadeAgain() throws Exception {
		for (int round = 0; round < 20; round++) {
			try (LockLease lease = this.lock.acquire()) {
				assertThat(lease.isHeld()).isTrue();
			}
			this.locks.zooKeeper().delete(parent("lock"), -1);
		}
	}

	@Test
	@Tag("H08")
	void orderIsByNumberAndNotByName() throws Exception {
		String foreign = this.locks.zooKeeper()
			.create(parent("lock") + "/zzz-lock-", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
		CompletableFuture<LockLease> waiting = this.elsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		await().atMost(PATIENCE).until(() -> server().view().watchCount() >= 1);
		assertThat(waiting).isNotDone();
		this.locks.zooKeeper().delete(foreign, -1);
		get(waiting).close();
	}

	@Test
	void foreignNodesOfAllKindsAreRespected() throws Exception {
		for (String prefix : new String[] { "x-", "__READ__", "_c_-__WRIT__", "read-", "__lock__", "" }) {
			String foreign = this.locks.zooKeeper()
				.create(parent("lock") + "/" + prefix, new byte[0], Ids.OPEN_ACL_UNSAFE,
						CreateMode.EPHEMERAL_SEQUENTIAL);
			assertThat(this.lock.tryAcquire(Duration.ZERO)).as(prefix).isEmpty();
			CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
			awaitNodes("lock", 2);
			assertThat(waiting).isNotDone();
			this.locks.zooKeeper().delete(foreign, -1);
			get(waiting).close();
		}
	}

	@Test
	@Tag("H41")
	void otherChildrenAreIgnored() throws Exception {
		for (String name : new String[] { "foo", "x-abc", "lock-12345678901", "lock-123456789", "lock-00000000001x" }) {
			this.locks.zooKeeper()
				.create(parent("lock") + "/" + name, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		}
		this.lock.acquire().close();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	/**
	 * Another client's downgrade leaves a read node with the number of its write node.
	 */
	@Test
	@Tag("H15")
	void afterAForeignWriteNodeTheQueueIsListedAgain() throws Exception {
		ZooKeeper foreign = this.locks.zooKeeper();
		String write = foreign.create(parent("lock") + "/_c_-__WRIT__", new byte[0], Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL_SEQUENTIAL);
		CompletableFuture<LockLease> waiting = this.elsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		String read = write.replace("__WRIT__", "__READ__");
		foreign.create(read, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
		foreign.delete(write, -1);
		await().atMost(PATIENCE).until(() -> nodes("lock").size() == 2);
		assertThat(waiting).isNotDone();
		foreign.delete(read, -1);
		get(waiting).close();
	}

}
