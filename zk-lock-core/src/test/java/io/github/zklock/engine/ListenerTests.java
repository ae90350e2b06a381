package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.testing.LockRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class ListenerTests extends LockTestSupport {

	private final LockRecorder recorder = new LockRecorder(Duration.ofNanos(1));

	ListenerTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private void awaitEvents(String... expected) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.recorder.events()).containsExactly(expected));
	}

	@Test
	void hearsOfEverythingInOrder() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = closing(
				builder(proxy.connectString(), Duration.ofSeconds(4)).listener(this.recorder).build());
		locks.lock("a").acquire().close();
		LockLease lost = locks.lock("b").acquire();
		assertThat(locks.lock("b").tryLock()).isFalse();
		Sessions.expire(locks.zooKeeper(), server().connectString());
		await().atMost(PATIENCE).until(() -> !lost.isHeld());
		awaitEvents("acquired a", "released a", "acquired b", "timedOut b", "lost b");
		proxy.refuse();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.lock("c").tryAcquire(Duration.ofMillis(20)));
		awaitEvents("acquired a", "released a", "acquired b", "timedOut b", "lost b", "failed c");
	}

	@Test
	void reentryIsNoEvent() {
		ZooKeeperLocks locks = closing(builder().listener(this.recorder).build());
		locks.lock("a").lock();
		locks.lock("a").lock();
		locks.lock("a").unlock();
		locks.lock("a").unlock();
		awaitEvents("acquired a", "released a");
	}

	@Test
	@Tag("H38")
	@Tag("H40")
	@Tag("H89")
	void slowAndThrowingListenersHurtNobody() throws Exception {
		CountDownLatch slow = new CountDownLatch(1);
		ZooKeeperLocks locks = closing(builder().listener(new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				throw new IllegalStateException("from a listener");
			}

		}).listener(new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				try {
					slow.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}

		}).listener(this.recorder).build());
		for (int round = 0; round < 3; round++) {
			get(locks.lock("a").acquireAsync(PATIENCE)).close();
		}
		awaitEvents("acquired a", "released a", "acquired a", "released a", "acquired a", "released a");
		slow.countDown();
	}

	@Test
	@Tag("H39")
	void interruptByAListenerHurtsNobody() throws Exception {
		ZooKeeperLocks locks = closing(builder().listener(new LockListener() {

			@Override
			public void released(LockLease lease, Duration held) {
				Thread.currentThread().interrupt();
			}

		}).listener(this.recorder).build());
		for (int round = 0; round < 3; round++) {
			get(locks.lock("a").acquireAsync(PATIENCE)).close();
		}
		awaitEvents("acquired a", "released a", "acquired a", "released a", "acquired a", "released a");
	}

	@Test
	void listenerMayUseLocksAndAskForTheToken() throws Exception {
		CompletableFuture<Long> token = new CompletableFuture<>();
		ZooKeeperLocks locks = registry();
		ZooKeeperLocks observed = closing(builder().listener(new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				token.complete(lease.fencingToken());
				locks.lock("other").lock();
				locks.lock("other").unlock();
			}

		}).listener(this.recorder).build());
		try (LockLease lease = observed.lock("a").acquire()) {
			assertThat(get(token)).isEqualTo(lease.fencingToken());
		}
		awaitEvents("acquired a", "released a");
	}

	@Test
	void lossActionsRunInOrderAndAreIsolated() throws Exception {
		ZooKeeperLocks locks = registry();
		LockLease lease = locks.lock("a").acquire();
		List<String> actions = new CopyOnWriteArrayList<>();
		lease.onLost(() -> actions.add("one"));
		lease.onLost(() -> {
			throw new IllegalStateException("from an action");
		});
		lease.onLost(() -> actions.add("two"));
		Sessions.expire(locks.zooKeeper());
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(actions).containsExactly("one", "two"));
	}

	@Test
	void closedLeaseIsNeverLost() throws Exception {
		ZooKeeperLocks locks = closing(builder().listener(this.recorder).build());
		LockLease lease = locks.lock("a").acquire();
		List<String> actions = new CopyOnWriteArrayList<>();
		lease.onLost(() -> actions.add("before"));
		lease.close();
		lease.onLost(() -> actions.add("after"));
		Sessions.expire(locks.zooKeeper());
		locks.lock("b").acquire().close();
		awaitEvents("acquired a", "released a", "acquired b", "released b");
		assertThat(actions).isEmpty();
	}

}
