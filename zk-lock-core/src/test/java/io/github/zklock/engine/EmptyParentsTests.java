package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockLease;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is left of names that are not used any more.
 */
class EmptyParentsTests extends LockTestSupport {

	// So long that what is done next is done before
	private static final Duration SOON = Duration.ofSeconds(3);

	EmptyParentsTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ZooKeeperLocks registry(Duration parentIdle) {
		return closing(with(builder(), (options) -> options.parentIdle(parentIdle)).build());
	}

	private List<String> names() {
		return server().view().children(chroot() + "/zk-lock/locks");
	}

	private static void useOnce(ZooKeeperLocks locks, int names) throws Exception {
		List<CompletableFuture<LockLease>> leases = new ArrayList<>();
		for (int name = 0; name < names; name++) {
			leases.add(((name % 2 == 0) ? locks.lock("once-" + name) : locks.readLock("once-" + name))
				.acquireAsync(PATIENCE));
		}
		List<CompletableFuture<Void>> closed = new ArrayList<>();
		for (CompletableFuture<LockLease> lease : leases) {
			closed.add(get(lease).closeAsync());
		}
		for (CompletableFuture<Void> close : closed) {
			get(close);
		}
	}

	private static void awaitRemembered(ZooKeeperLocks locks, int count) {
		await().atMost(PATIENCE).until(() -> engine(locks).context().emptyParents().remembered() == count);
	}

	@Test
	void namesThatAreUsedOnceLeaveNothingBehind() throws Exception {
		// So long that nothing keeps this thread from using a name within the time
		ZooKeeperLocks locks = registry(Duration.ofSeconds(10));
		NamedLock again = locks.lock("again");
		LockLease held = locks.lock("held").acquire();
		again.acquire().close();
		Stat made = locks.zooKeeper().exists(parent("again"), false);
		useOnce(locks, 300);
		await().atMost(PATIENCE).until(() -> {
			again.acquire().close();
			return names().size() == 2;
		});
		assertThat(names()).containsExactlyInAnyOrder("again", "held");
		assertThat(locks.zooKeeper().exists(parent("again"), false).getCzxid()).isEqualTo(made.getCzxid());
		assertThat(engine(locks).context().emptyParents().remembered()).isEqualTo(2);
		assertThat(held.isHeld()).isTrue();
		held.close();
		await().atMost(PATIENCE).until(() -> names().isEmpty());
		assertThat(engine(locks).context().emptyParents().remembered()).isZero();
		again.acquire().close();
		assertThat(names()).containsExactly("again");
	}

	@Test
	void parentThatOthersUseStays() throws Exception {
		ZooKeeperLocks locks = registry(SOON);
		useOnce(locks, 1);
		try (LockLease lease = registry().lock("once-0").acquire()) {
			awaitRemembered(locks, 0);
			settle(locks);
			assertThat(nodes("once-0")).hasSize(1);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void parentThatOthersHaveMadeIsTheirs() throws Exception {
		useOnce(registry(), 10);
		ZooKeeperLocks locks = registry(SOON);
		useOnce(locks, 11);
		assertThat(engine(locks).context().emptyParents().remembered()).isEqualTo(1);
		await().atMost(PATIENCE).until(() -> names().size() == 10);
	}

	@Test
	void disconnectLeavesThemToTheServer() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = closing(
				with(builder(proxy.connectString(), LONG_SESSION), (options) -> options.parentIdle(SOON)).build());
		useOnce(locks, 20);
		proxy.refuse();
		awaitDisconnected(locks);
		proxy.heal();
		awaitConnected(locks);
		proxy.resetCounts();
		awaitRemembered(locks, 0);
		settle(locks);
		assertThat(proxy.frames(Direction.TO_SERVER, Operation.DELETE)).isZero();
		useOnce(locks, 21);
		awaitRemembered(locks, 0);
		await().atMost(PATIENCE).until(() -> names().size() == 20);
	}

	@Test
	void fewAreDeletedAtOnceAndFewerWhenAnswersAreSlow() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = closing(
				with(builder(proxy.connectString(), LONG_SESSION), (options) -> options.parentIdle(SOON)).build());
		useOnce(locks, 150);
		proxy.resetCounts();
		proxy.hold(Direction.TO_CLIENT);
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_SERVER, Operation.DELETE) >= 100);
		CompletableFuture<Void> later = new CompletableFuture<>();
		keeper(locks).loop().schedule(() -> later.complete(null), SOON.toNanos());
		get(later);
		assertThat(proxy.frames(Direction.TO_SERVER, Operation.DELETE)).isEqualTo(100);
		proxy.heal();
		await().atMost(PATIENCE).until(() -> names().isEmpty());
		awaitRemembered(locks, 0);
	}

	@Test
	void closedRegistryForgetsThem() throws Exception {
		ZooKeeperLocks locks = registry();
		useOnce(locks, 10);
		assertThat(engine(locks).context().emptyParents().remembered()).isEqualTo(10);
		locks.close();
		assertThat(engine(locks).context().emptyParents().remembered()).isZero();
	}

}
