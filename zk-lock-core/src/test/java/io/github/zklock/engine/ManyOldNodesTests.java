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
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How the nodes of a session are deleted that had very many of them.
 */
class ManyOldNodesTests extends OldNodesTestSupport {

	private static final int COUNT = 800;

	ManyOldNodesTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void manyNodesAreDeletedAFewAtATimeAndThoseFirstThatSomebodyWaitsFor() throws Exception {
		List<String> wanted = List.of("lock-3", "lock-222", "lock-333", "lock-444", "lock-666", "lock-799");
		List<LockLease> leases = acquireAll();
		List<CompletableFuture<LockLease>> waiting = new ArrayList<>();
		for (String name : wanted) {
			waiting.add(acquire(this.locks.lock(name)));
		}
		await().atMost(PATIENCE).until(() -> this.locks.waiting().size() == wanted.size());
		assertThat(leases).as("held until the outage").allMatch(LockLease::isHeld);
		outlastTheClient();
		awaitOldNodes(COUNT);
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

	private List<LockLease> acquireAll() throws Exception {
		List<CompletableFuture<LockLease>> asked = new ArrayList<>();
		for (int index = 0; index < COUNT; index++) {
			asked.add(this.locks.lock("lock-" + index).acquireAsync(PATIENCE));
		}
		List<LockLease> acquired = new ArrayList<>();
		for (CompletableFuture<LockLease> lease : asked) {
			acquired.add(get(lease));
		}
		return acquired;
	}

}
