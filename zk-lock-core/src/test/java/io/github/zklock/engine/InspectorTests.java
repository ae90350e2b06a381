package io.github.zklock.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockLease;
import io.github.zklock.LockMode;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What people can see of a queue.
 */
class InspectorTests extends LockTestSupport {

	private final ZooKeeperLocks one = registry();

	private final ZooKeeperLocks two = registry();

	InspectorTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void queueShowsWhoHoldsAndWhoWaits() throws Exception {
		Instant before = Instant.now().minusSeconds(1);
		LockLease held = this.one.lock("a/b").acquire();
		this.two.readLock("a/b").acquireAsync(PATIENCE);
		awaitNodes("a/b", 2);
		this.one.zooKeeper()
			.create(parent("a/b") + "/n_", "somebody".getBytes(StandardCharsets.UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE,
					CreateMode.EPHEMERAL_SEQUENTIAL);
		this.one.zooKeeper().create(parent("a/b") + "/config", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
		List<LockContender> queue = this.one.queue("a/b");
		assertThat(queue)
			.extracting(LockContender::mode, LockContender::holding, LockContender::origin, LockContender::instance)
			.containsExactly(tuple(LockMode.WRITE, true, Origin.SELF, this.one.instance()),
					tuple(LockMode.READ, false, Origin.PEER, this.two.instance()),
					tuple(LockMode.WRITE, false, Origin.FOREIGN, null));
		LockContender holder = queue.get(0);
		assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(holder.pid()).isEqualTo(ProcessHandle.current().pid());
		assertThat(holder.host()).isNotEmpty();
		assertThat(holder.since()).isBetween(before, Instant.now().plusSeconds(1));
		assertThat(holder.session()).isEqualTo(this.one.zooKeeper().getSessionId());
		assertThat(holder.token()).isEqualTo(held.fencingToken());
		assertThat(holder.node()).isIn(nodes("a/b"));
		assertThat(queue.get(2).text()).isEqualTo("somebody");
		assertThat(queue.get(2).host()).isNull();
	}

	@Test
	void severalReadersHold() throws Exception {
		this.one.readLock("lock").acquire();
		this.two.readLock("lock").acquire();
		this.two.lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		this.one.readLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 4);
		assertThat(this.one.queue("lock")).extracting(LockContender::holding).containsExactly(true, true, false, false);
	}

	@Test
	void queueOfNobodyIsEmpty() {
		assertThat(this.one.queue("nobody")).isEmpty();
		assertThat(this.one.queueOfRole("nobody")).isEmpty();
		assertThat(this.one.breakLock("nobody")).isFalse();
	}

	@Test
	void queueOfARoleShowsWhoLeadsAndWhoWaits() {
		this.one.election("role").join();
		await().atMost(PATIENCE).until(this.one.election("role").leadership()::isLeader);
		this.two.election("role").join();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.two.queueOfRole("role"))
				.extracting(LockContender::origin, LockContender::holding)
				.containsExactly(tuple(Origin.PEER, true), tuple(Origin.SELF, false)));
		assertThat(this.two.queueOfRole("role").get(0).token())
			.isEqualTo(this.one.election("role").leadership().fencingToken());
		assertThat(this.one.queue("role")).as("a lock of the same name").isEmpty();
	}

	@Test
	void ownLocksAreKnownWithoutTraffic() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = registry(proxy);
		Instant before = Instant.now().minusMillis(1);
		locks.lock("thread").lock();
		LockLease reader = locks.readLock("handle").acquire();
		CompletableFuture<Void> waiter = call(() -> {
			locks.lock("handle").lock();
			locks.lock("handle").unlock();
			return null;
		});
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_SERVER, Operation.GET_DATA) > 0);
		proxy.resetCounts();
		String thread = Thread.currentThread().getName();
		assertThat(locks.held()).extracting(LocalLock::name, LocalLock::mode, LocalLock::thread)
			.containsExactly(tuple("thread", LockMode.WRITE, thread), tuple("handle", LockMode.READ, null));
		assertThat(locks.waiting()).extracting(LocalLock::name, LocalLock::mode)
			.containsExactly(tuple("handle", LockMode.WRITE));
		assertThat(locks.waiting().get(0).thread()).isNotNull();
		assertThat(locks.held().get(0).since()).isBetween(before, Instant.now());
		assertThat(proxy.frames(Direction.TO_SERVER)).isZero();
		reader.close();
		get(waiter);
		locks.lock("thread").unlock();
		assertThat(locks.held()).isEmpty();
		assertThat(locks.waiting()).isEmpty();
		assertThat(this.one.held()).isEmpty();
	}

	@Test
	void brokenLockGoesToTheNext() throws Exception {
		LockLease broken = this.one.lock("lock").acquire();
		CompletableFuture<LockLease> next = this.two.lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<Void> lost = new CompletableFuture<>();
		broken.onLost(() -> lost.complete(null));
		ZooKeeperLocks operator = registry();
		assertThat(operator.breakLock("lock")).isTrue();
		get(next);
		get(lost);
		assertThat(broken.isHeld()).isFalse();
		assertThat(nodes("lock")).hasSize(1);
	}

	@Test
	void ownLockIsLostBeforeItIsBroken() throws Exception {
		LockLease own = this.one.lock("lock").acquire();
		LockLease[] next = new LockLease[1];
		CompletableFuture<Boolean> heldWhenGranted = this.two.lock("lock")
			.acquireAsync(PATIENCE)
			.thenApply((granted) -> {
				next[0] = granted;
				return own.isHeld();
			});
		awaitNodes("lock", 2);
		assertThat(this.one.breakLock("lock")).isTrue();
		assertThat(own.isHeld()).isFalse();
		assertThat(get(heldWhenGranted)).isFalse();
		assertThat(next[0].isHeld()).isTrue();
	}

	@Test
	void allReadersAreBroken() throws Exception {
		LockLease local = this.one.readLock("lock").acquire();
		LockLease remote = this.two.readLock("lock").acquire();
		CompletableFuture<LockLease> writer = this.two.lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		assertThat(this.one.breakLock("lock")).isTrue();
		assertThat(local.isHeld()).isFalse();
		get(writer);
		await().atMost(PATIENCE).until(() -> !remote.isHeld());
	}

	@Test
	void unreachableServerIsSaidSo() {
		FaultProxy proxy = proxy();
		proxy.refuse();
		ZooKeeperLocks locks = closing(
				builder(proxy.connectString(), Duration.ofSeconds(6)).connectTimeout(Duration.ofMillis(100)).build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.queue("lock"))
			.withMessageContaining("'lock'")
			.withMessageContaining(proxy.connectString());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.breakLock("lock"));
		proxy.heal();
		awaitConnected(locks);
		proxy.swallow();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.queueOfRole("role"))
			.withMessageContaining("no answer");
	}

}
