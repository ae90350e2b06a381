package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
		// Thousands of locks must survive until their outage, on a busy machine, too
		super(server, connectString, SHORT_SESSION.multipliedBy(2));
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
		awaitGivenUp(handle);
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
		awaitGivenUp(handle);
		awaitOldNodes(1);
		endOutage();
		awaitOldNodes(0);
		assertOldSessionLives();
	}

	@Test
	void manyNodesAreDeletedAFewAtATimeAndThoseFirstThatSomebodyWaitsFor() throws Exception {
		List<String> wanted = List.of("lock-3", "lock-222", "lock-333", "lock-444", "lock-666", "lock-799");
		List<LockLease> leases = new ArrayList<>();
		while (leases.size() < 800) {
			leases.addAll(acquireTogether("lock-", leases.size(), 50));
		}
		List<CompletableFuture<LockLease>> waiting = new ArrayList<>();
		for (String name : wanted) {
			waiting.add(acquire(this.locks.lock(name)));
		}
		await().atMost(PATIENCE).until(() -> this.locks.waiting().size() == wanted.size());
		assertThat(leases).as("held until the outage").allMatch(LockLease::isHeld);
		outlastTheClient();
		awaitOldNodes(leases.size());
		this.proxy.resetCounts();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.DELETE, 2);
		endOutage();
		assertThat(held.await(PATIENCE)).isTrue();
		long heartbeats = this.proxy.frames(Direction.TO_SERVER, Operation.SYNC);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_SERVER, Operation.SYNC) > heartbeats);
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.DELETE)).as("the first, and those behind it")
			.isBetween(2L, 1L + OldNodes.MOST_IN_FLIGHT);
		assertThat(keeper(this.locks).connectedSession()).as("nobody may create anything yet").isNull();
		wanted.forEach((name) -> awaitNodes(name, 0));
		assertThat(server().view().ephemerals(this.oldSession)).hasSizeGreaterThan(200);
		this.proxy.heal();
		awaitOldNodes(0);
		for (CompletableFuture<LockLease> next : waiting) {
			get(next).close();
		}
		assertOldSessionLives();
	}

	/**
	 * Acquire some locks in one flight. All of them at once would keep the heartbeats
	 * behind them waiting for longer than a lease lasts, on a slow machine.
	 */
	private List<LockLease> acquireTogether(String prefix, int first, int count) throws Exception {
		List<CompletableFuture<LockLease>> leases = new ArrayList<>();
		for (int index = first; index < first + count; index++) {
			leases.add(this.locks.lock(prefix + index).acquireAsync(PATIENCE));
		}
		List<LockLease> acquired = new ArrayList<>();
		for (CompletableFuture<LockLease> lease : leases) {
			acquired.add(get(lease));
		}
		return acquired;
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
