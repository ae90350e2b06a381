package io.github.zklock.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * ZOOKEEPER-4306: a session with more nodes than a server can log must not be.
 */
class NodeBytesTests extends ElectionTestSupport {

	NodeBytesTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * What a node of a lock costs whose name is one letter.
	 */
	private int bytesOfOne() {
		String path = chroot() + parent("a") + "/" + NodeKind.LOCK.prefix(new ContenderIds(new SystemPlatform()).next())
				+ "0000000000";
		return 4 + path.getBytes(StandardCharsets.UTF_8).length;
	}

	private ZooKeeperLocks registryFor(int nodes) {
		return closing(builder().maxNodeBytes(nodes * bytesOfOne()).build());
	}

	static OwnNodes ownNodes(ZooKeeperLocks locks) {
		return Objects.requireNonNull(keeper(locks).connectedSession()).nodes();
	}

	private void assertRefused(ZooKeeperLocks locks, String name, int nodes) {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.lock(name).acquire())
			.withMessageContaining("'" + name + "'")
			.withMessageContaining(nodes + " nodes")
			.withMessageContaining(String.valueOf(nodes * bytesOfOne()))
			.withMessageContaining("maxNodeBytes")
			.withMessageContaining("zk.lock.session.max-node-bytes");
	}

	@Test
	void oneMoreThanThereIsRoomForIsRefusedUntilOneIsReleased() throws Exception {
		ZooKeeperLocks locks = registryFor(3);
		LockLease first = locks.lock("a").acquire();
		locks.lock("b").acquire();
		locks.lock("c").acquire();
		assertRefused(locks, "d", 3);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.lock("d").tryAcquire(Duration.ZERO));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.lock("d").tryAcquire(PATIENCE));
		assertThat(locks.lock("d").acquireAsync(PATIENCE)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertThat(locks.lock("b").tryAcquire(Duration.ZERO)).as("others have it, which is known").isEmpty();
		assertThat(nodes("d")).isEmpty();
		first.close();
		locks.lock("d").acquire();
		assertRefused(locks, "a", 3);
	}

	@Test
	void readersAreCountedEachForItself() throws Exception {
		ZooKeeperLocks locks = closing(builder().maxNodeBytes(3 * bytesOfOne() + 20).build());
		List<LockLease> readers = new ArrayList<>();
		for (int reader = 0; reader < 3; reader++) {
			readers.add(locks.readLock("a").acquire());
		}
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.readLock("a").acquire())
			.withMessageContaining("3 nodes");
		readers.get(1).close();
		locks.readLock("a").acquire();
	}

	@Test
	void electionComesInLater() throws Exception {
		ZooKeeperLocks locks = closing(builder().maxNodeBytes(2 * bytesOfOne()).build());
		LockLease lease = locks.lock("a").acquire();
		LeaderElection election = locks.election(ROLE);
		election.join();
		assertThat(election.leadership().isLeader()).isFalse();
		assertThat(leaderNodes()).isEmpty();
		lease.close();
		awaitLeader(election);
	}

	/**
	 * Whoever gives way to others has to be able to queue again behind them.
	 */
	@Test
	void nodeThatReplacesAnotherNeedsNoRoom() throws Exception {
		ZooKeeperLocks locks = registryFor(1);
		ZooKeeperLocks others = registry();
		for (int round = 0; round < 5; round++) {
			LockLease first = locks.lock("a").acquire();
			CompletableFuture<LockLease> elsewhere = others.lock("a").acquireAsync(PATIENCE);
			awaitNodes("a", 2);
			CompletableFuture<LockLease> second = locks.lock("a").acquireAsync(PATIENCE);
			settle(locks);
			first.close();
			get(elsewhere).close();
			get(second).close();
			assertThat(ownNodes(locks).bytes()).isZero();
		}
	}

	@Test
	void createWithoutAnAnswerIsCounted() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = closing(builder(proxy.connectString(), LONG_SESSION).maxNodeBytes(bytesOfOne()).build());
		warmUp(locks, "a");
		locks.lock("b").acquire().close();
		FaultProxy.Trigger created = proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		CompletableFuture<LockLease> waiting = locks.lock("a").acquireAsync(PATIENCE);
		assertThat(created.await(PATIENCE)).isTrue();
		assertRefused(locks, "b", 1);
		proxy.cut();
		proxy.heal();
		LockLease lease = get(waiting);
		assertRefused(locks, "b", 1);
		lease.close();
		locks.lock("b").acquire().close();
		assertThat(ownNodes(locks).isEmpty()).isTrue();
	}

	@Test
	void nothingStaysCountedAfterLosses() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = warmUp(registry(proxy), "a");
		ZooKeeper operator = registry().zooKeeper();
		for (Operation operation : new Operation[] { Operation.CREATE, Operation.GET_CHILDREN, Operation.DELETE }) {
			FaultProxy.Trigger before = proxy.cutBefore(operation, 1);
			locks.lock("a").acquire().close();
			assertThat(before.await(PATIENCE)).isTrue();
			awaitConnected(locks);
			FaultProxy.Trigger after = proxy.cutAfter(operation, 1);
			locks.lock("a").acquire().close();
			assertThat(after.await(PATIENCE)).isTrue();
			awaitConnected(locks);
		}
		LockLease lease = locks.lock("a").acquire();
		watchOwnNodes(locks);
		operator.delete(parent("a") + "/" + nodes("a").get(0), -1);
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		awaitConnected(locks);
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(ownNodes(locks).count()).isZero();
			assertThat(ownNodes(locks).bytes()).isZero();
		});
	}

	@Test
	void limitIsChecked() {
		assertThatIllegalArgumentException().isThrownBy(() -> builder().maxNodeBytes(0))
			.withMessageContaining("maxNodeBytes");
	}

	/**
	 * A client with as many locks as it may have is gone without a word. The server has
	 * to write all their paths into its log, and to read them again.
	 */
	@Test
	void serverSurvivesTheEndOfASessionThatHasAsMuchAsItMay() throws Exception {
		String name = "x".repeat(200);
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.startNew()) {
			try (ZooKeeperLocks locks = ZooKeeperLocks.builder(server.connectString())
				.sessionTimeout(LONG_SESSION)
				.connectTimeout(PATIENCE)
				.closeWait(Duration.ZERO)
				.build()) {
				int held = holdAsManyAsPossible(locks, name);
				assertThat(ownNodes(locks).bytes()).isBetween(OwnNodes.DEFAULT_LIMIT - 400L,
						(long) OwnNodes.DEFAULT_LIMIT);
				long session = locks.zooKeeper().getSessionId();
				assertThat(server.view().ephemerals(session)).hasSize(held);
				server.server().closeSession(session);
				await().atMost(PATIENCE).until(() -> server.view().ephemerals(session).isEmpty());
			}
			server.restart();
			try (ZooKeeperLocks locks = ZooKeeperLocks.builder(server.connectString())
				.connectTimeout(PATIENCE)
				.build()) {
				locks.lock("a").acquire().close();
			}
		}
	}

	/**
	 * Hold locks whose names begin alike until there is no room for another.
	 * @return how many are held
	 */
	static int holdAsManyAsPossible(ZooKeeperLocks locks, String name) throws Exception {
		int asked = 0;
		int held = 0;
		for (int batch = 500; batch > 0;) {
			List<CompletableFuture<LockLease>> leases = new ArrayList<>();
			for (int index = 0; index < batch; index++) {
				leases.add(locks.lock(name + "-" + asked++).acquireAsync(PATIENCE));
			}
			int before = held;
			for (CompletableFuture<LockLease> lease : leases) {
				held += isGranted(lease) ? 1 : 0;
			}
			if (held - before < batch) {
				// What fits in among many others may not be all
				batch = (batch > 1) ? 1 : 0;
			}
		}
		return held;
	}

	private static boolean isGranted(CompletableFuture<LockLease> lease) throws Exception {
		try {
			get(lease);
			return true;
		}
		catch (ExecutionException ex) {
			assertThat(ex).hasCauseInstanceOf(LockUnavailableException.class);
			return false;
		}
	}

}
