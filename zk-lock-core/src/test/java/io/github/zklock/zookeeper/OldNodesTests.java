package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockContender;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Participant;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of the nodes of a session that the client has given up and the server has
 * not. The server is made to keep such a session for so long that nobody can be served
 * because it has expired.
 */
class OldNodesTests extends ElectionTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(4);

	private static final int VERY_LONG_MILLIS = 600_000;

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SHORT_SESSION);

	private final ZooKeeperLocks others = registry();

	private long oldSession;

	OldNodesTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void endOldSession() {
		if (this.oldSession != 0) {
			server().server().closeSession(this.oldSession);
		}
	}

	/**
	 * Begin an outage, and wait until the client has given up its session, which the
	 * server keeps.
	 */
	private void outlastTheClient() throws Exception {
		ZooKeeper handle = this.locks.zooKeeper();
		beginOutage();
		this.proxy.cut();
		awaitGivenUp(handle);
	}

	/**
	 * Let no connection succeed that is made from now on.
	 */
	private void beginOutage() {
		this.proxy.retarget("127.0.0.1:1");
	}

	private void awaitGivenUp(ZooKeeper handle) throws Exception {
		this.oldSession = handle.getSessionId();
		awaitDisconnected(this.locks);
		// What the server has heard before must not make the time shorter again
		hear(this.others);
		keepOldSession();
		hear(this.others);
		keepOldSession();
		awaitEnd(handle);
		assertOldSessionLives();
	}

	private static void awaitEnd(ZooKeeper handle) {
		await().atMost(PATIENCE).until(() -> handle.getState() == ZooKeeper.States.CLOSED);
	}

	private void keepOldSession() {
		assertThat(server().server().getSessionTracker().touchSession(this.oldSession, VERY_LONG_MILLIS)).isTrue();
	}

	private void assertOldSessionLives() {
		assertThat(server().view().sessions()).contains(this.oldSession);
	}

	private void endOutage() {
		this.proxy.retarget(server().connectString());
	}

	private void awaitOldNodes(int count) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(server().view().ephemerals(this.oldSession)).hasSize(count));
	}

	@Test
	void waiterElsewhereIsServedWhileTheServerKeepsTheOldSession() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		CompletableFuture<LockLease> waiting = this.others.lock("lock").acquireAsync(PATIENCE.multipliedBy(2));
		awaitNodes("lock", 2);
		outlastTheClient();
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiting).isNotDone();
		endOutage();
		try (LockLease next = get(waiting)) {
			assertOldSessionLives();
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	void waiterOfTheSameProcessIsServedWhileTheServerKeepsTheOldSession() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		CompletableFuture<LockLease> waiting = acquire(this.locks.lock("lock"));
		await().atMost(PATIENCE).until(() -> !this.locks.waiting().isEmpty());
		String old = nodes("lock").get(0);
		outlastTheClient();
		assertThat(waiting).isNotDone();
		endOutage();
		try (LockLease next = get(waiting)) {
			assertOldSessionLives();
			assertThat(next.isHeld()).isTrue();
			assertThat(lease.isHeld()).isFalse();
			assertThat(nodes("lock")).hasSize(1).doesNotContain(old);
		}
	}

	/**
	 * Also CURATOR-202: the old node of the role is gone before the new one is made.
	 */
	@Test
	void somebodyLeadsWhileTheServerKeepsTheOldSession() throws Exception {
		LeaderElection election = lead(this.locks);
		Recorder recorder = new Recorder(election);
		String old = leaderNodes().get(0);
		outlastTheClient();
		assertThat(election.leadership().isLeader()).isFalse();
		FaultProxy.Trigger created = this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		endOutage();
		assertThat(created.await(PATIENCE)).isTrue();
		assertThat(leaderNodes()).as("when the new node is there").hasSize(1).doesNotContain(old);
		this.proxy.heal();
		awaitLeader(election);
		assertOldSessionLives();
		recorder.awaitEvents("granted", "suspended", "revoked", "granted");
	}

	@Test
	void restartedServerServesAtOnceThoughItHasKeptTheSessions() throws Exception {
		ZooKeeperLocks direct = closing(builder(server().connectString(), SHORT_SESSION).build());
		LockLease lease = direct.lock("lock").acquire();
		CompletableFuture<LockLease> waiting = acquire(direct.lock("lock"));
		await().atMost(PATIENCE).until(() -> !direct.waiting().isEmpty());
		ZooKeeper handle = direct.zooKeeper();
		this.oldSession = handle.getSessionId();
		server().stop();
		try {
			awaitEnd(handle);
		}
		finally {
			server().start();
		}
		keepOldSession();
		try (LockLease next = get(waiting)) {
			assertOldSessionLives();
			assertThat(next.isHeld()).isTrue();
			assertThat(lease.isHeld()).isFalse();
		}
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
		List<String> wanted = List.of("lock-3", "lock-333", "lock-666", "lock-999", "lock-1111", "lock-1199");
		List<CompletableFuture<LockLease>> leases = new ArrayList<>();
		for (int index = 0; index < 1_200; index++) {
			leases.add(this.locks.lock("lock-" + index).acquireAsync(PATIENCE));
		}
		for (CompletableFuture<LockLease> lease : leases) {
			get(lease);
		}
		List<CompletableFuture<LockLease>> waiting = new ArrayList<>();
		for (String name : wanted) {
			waiting.add(acquire(this.locks.lock(name)));
		}
		await().atMost(PATIENCE).until(() -> this.locks.waiting().size() == wanted.size());
		outlastTheClient();
		awaitOldNodes(1_200);
		this.proxy.resetCounts();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.DELETE, 2);
		endOutage();
		assertThat(held.await(PATIENCE)).isTrue();
		long heartbeats = this.proxy.frames(Direction.TO_SERVER, Operation.SYNC);
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_SERVER, Operation.SYNC) > heartbeats);
		assertThat(this.proxy.frames(Direction.TO_SERVER, Operation.DELETE)).as("the first, and those behind it")
			.isBetween(2L, 1L + OldNodes.MOST_IN_FLIGHT);
		assertThat(this.locks.keeper().connectedSession()).as("nobody may create anything yet").isNull();
		wanted.forEach((name) -> awaitNodes(name, 0));
		assertThat(server().view().ephemerals(this.oldSession)).hasSizeGreaterThan(600);
		this.proxy.heal();
		awaitOldNodes(0);
		for (CompletableFuture<LockLease> next : waiting) {
			get(next).close();
		}
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
		assertThat(cuts).allMatch(FaultProxy.Trigger::hasFired);
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
		await().atMost(PATIENCE).until(this.locks.keeper()::isClosed);
		this.proxy.heal();
		get(closing);
		awaitOldNodes(0);
		assertOldSessionLives();
	}

	/**
	 * A server that takes the client back, and loses it before it has answered anything,
	 * is no better than one that does not.
	 */
	@Test
	void serverThatTakesAndDropsConnectionsIsNoConnection() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		ZooKeeper handle = this.locks.zooKeeper();
		this.oldSession = handle.getSessionId();
		CompletableFuture<LockLease> waiting = acquire(this.locks.lock("lock"));
		for (int beat = 1; beat <= 2_000; beat++) {
			this.proxy.cutAfter(Operation.SYNC, beat);
		}
		awaitEnd(handle);
		assertThat(lease.isHeld()).isFalse();
		this.proxy.heal();
		try (LockLease next = get(waiting)) {
			assertThat(next.isHeld()).isTrue();
		}
		this.oldSession = 0;
	}

	@Test
	void serverThatComesBackEmptyIsAccepted() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		for (int round = 0; round < 50; round++) {
			warmUp(this.others, "other");
		}
		CompletableFuture<LockLease> waiting = acquire(this.locks.lock("lock"));
		try (EmbeddedZooKeeper fresh = EmbeddedZooKeeper.startNew();
				ZooKeeperLocks operator = ZooKeeperLocks.builder(fresh.connectString()).build()) {
			operator.zooKeeper().create(chroot(), new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			this.proxy.retarget(fresh.connectString());
			this.proxy.cut();
			get(waiting);
			assertThat(lease.isHeld()).isFalse();
			assertThat(fresh.view().children(chroot() + parent("lock"))).hasSize(1);
			this.locks.close();
		}
	}

	// For people to look at

	@Test
	void nodeOfASessionThatWasGivenUpHoldsNothing() throws Exception {
		List<ACL> nobodyDeletes = Arrays
			.asList(new ACL(ZooDefs.Perms.ALL & ~ZooDefs.Perms.DELETE, ZooDefs.Ids.ANYONE_ID_UNSAFE));
		this.locks.lock("lock").acquire();
		LeaderElection election = lead(this.locks);
		ZooKeeper operator = this.others.zooKeeper();
		operator.setACL(parent("lock"), nobodyDeletes, -1);
		operator.setACL(parentOfRole(ROLE), nobodyDeletes, -1);
		ZooKeeper handle = this.locks.zooKeeper();
		this.oldSession = handle.getSessionId();
		handle.getTestable().injectSessionExpiration();
		keepOldSessionOf(handle);
		awaitLeaderNodes(2);
		assertThat(this.locks.queue("lock")).singleElement().satisfies((old) -> {
			assertThat(old.holding()).isFalse();
			assertThat(old.origin()).isEqualTo(LockContender.Origin.SELF);
			assertThat(old.session()).isEqualTo(this.oldSession);
		});
		assertThat(election.leader()).isEmpty();
		assertThat(election.participants()).hasSize(2).noneMatch(Participant::leading);
		assertThat(this.others.queue("lock")).as("others cannot know").allMatch(LockContender::holding);
		operator.setACL(parent("lock"), ZooDefs.Ids.OPEN_ACL_UNSAFE, -1);
		operator.setACL(parentOfRole(ROLE), ZooDefs.Ids.OPEN_ACL_UNSAFE, -1);
		assertThat(this.locks.breakLock("lock")).isTrue();
		assertThat(nodes("lock")).isEmpty();
		assertOldSessionLives();
		server().server().closeSession(this.oldSession);
		awaitLeader(election);
		assertThat(election.leader()).map(Participant::self).contains(true);
	}

	private void keepOldSessionOf(ZooKeeper handle) throws Exception {
		awaitEnd(handle);
		hear(this.others);
		keepOldSession();
	}

	@Test
	void expiredSessionIsForgottenToo() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		Sessions.expire(this.locks.zooKeeper());
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		this.locks.lock("lock").acquire().close();
		awaitNodes("lock", 0);
	}

}
