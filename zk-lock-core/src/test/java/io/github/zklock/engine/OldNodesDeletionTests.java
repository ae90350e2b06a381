package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How the nodes of a session are deleted that the client has given up and the server has
 * not.
 */
class OldNodesDeletionTests extends OldNodesTestSupport {

	OldNodesDeletionTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void oneDeleteIsEnoughToSeeThatTheSessionIsGone() throws Exception {
		for (int index = 0; index < 20; index++) {
			this.locks.lock("lock-" + index).acquire();
		}
		outlastTheClient();
		server().server().closeSession(this.oldSession);
		awaitOldNodes(0);
		this.proxy.resetCounts();
		endOutage();
		try (LockLease lease = this.locks.lock("lock-1").acquire()) {
			settle(this.locks);
			assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.DELETE)).isEqualTo(1);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void nodeOfACreateWithoutAnAnswerIsFound() throws Exception {
		warmUp(this.locks, "lock");
		ZooKeeper handle = this.locks.zooKeeper();
		beginOutage();
		FaultProxy.Trigger created = this.proxy.cutAfter(Operation.CREATE, 1);
		CompletableFuture<LockLease> waiting = acquire(this.locks.lock("lock"));
		assertThat(created.await(PATIENCE)).isTrue();
		String old = nodes("lock").get(0);
		giveUp(handle);
		assertThat(nodes("lock")).containsExactly(old);
		endOutage();
		try (LockLease lease = get(waiting)) {
			assertOldSessionLives();
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1).doesNotContain(old);
		}
	}

	@Test
	void deleteWithoutAnAnswerIsSentAgain() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		ZooKeeper handle = this.locks.zooKeeper();
		beginOutage();
		FaultProxy.Trigger lost = this.proxy.cutBefore(Operation.DELETE, 1);
		lease.close();
		assertThat(lost.hasFired()).isTrue();
		giveUp(handle);
		awaitOldNodes(1);
		endOutage();
		awaitOldNodes(0);
		assertOldSessionLives();
	}

	@Test
	void connectionIsLostWhileOldNodesAreDeleted() throws Exception {
		for (int index = 0; index < 20; index++) {
			this.locks.lock("lock-" + index).acquire();
		}
		outlastTheClient();
		List<FaultProxy.Trigger> cuts = List.of(this.proxy.cutAfter(Operation.DELETE, 1),
				this.proxy.cutBefore(Operation.DELETE, 10), this.proxy.cutAfter(Operation.DELETE, 20));
		endOutage();
		awaitOldNodes(0);
		for (FaultProxy.Trigger cut : cuts) {
			// The server is ahead of its answer, which is what cuts
			assertThat(cut.await(PATIENCE)).isTrue();
		}
		this.locks.lock("lock-0").acquire().close();
		assertOldSessionLives();
	}

	/**
	 * No memory to open the next session, nor to try it again later; and nobody here
	 * waits for one.
	 */
	@Test
	void oldNodesAreDeletedAfterErrorsToo() throws Exception {
		this.locks.lock("lock").acquire();
		AtomicBoolean notOpened = new AtomicBoolean();
		AtomicBoolean notScheduled = new AtomicBoolean();
		this.faults = (place) -> {
			if ((place.equals("open") && notOpened.compareAndSet(false, true))
					|| (place.equals("schedule") && notOpened.get() && notScheduled.compareAndSet(false, true))) {
				throw new OutOfMemoryError("on purpose");
			}
		};
		outlastTheClient();
		await().atMost(PATIENCE).untilTrue(notScheduled);
		endOutage();
		awaitOldNodes(0);
		assertOldSessionLives();
	}

	@Test
	void closeWaitsUntilOldNodesAreDeleted() throws Exception {
		for (int index = 0; index < 3; index++) {
			this.locks.lock("lock-" + index).acquire();
		}
		outlastTheClient();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_SERVER, Operation.DELETE, 1);
		endOutage();
		assertThat(held.await(PATIENCE)).isTrue();
		awaitOldNodes(3);
		CompletableFuture<Void> closing = call(() -> {
			this.locks.close();
			return null;
		});
		await().atMost(PATIENCE).until(keeper(this.locks)::isClosed);
		this.proxy.heal();
		get(closing);
		awaitOldNodes(0);
		assertOldSessionLives();
	}

}
