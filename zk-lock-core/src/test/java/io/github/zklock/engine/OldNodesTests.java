package io.github.zklock.engine;

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
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of those who hold a lock, wait for it or lead when the client has given up
 * its session and the server has not.
 */
class OldNodesTests extends OldNodesTestSupport {

	OldNodesTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
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
		LeadershipRecorder recorder = new LeadershipRecorder(election);
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

	/**
	 * A server that takes the client back, and loses it before it has answered anything,
	 * is no better than one that does not.
	 */
	@Test
	void serverThatTakesAndDropsConnectionsIsNoConnection() throws Exception {
		ZooKeeperLocks brief = registry(this.proxy, SHORT_SESSION);
		LockLease lease = brief.lock("lock").acquire();
		ZooKeeper handle = brief.zooKeeper();
		CompletableFuture<LockLease> waiting = acquire(brief.lock("lock"));
		for (int beat = 1; beat <= 2_000; beat++) {
			this.proxy.cutAfter(Operation.SYNC, beat);
		}
		awaitEnd(handle);
		assertThat(lease.isHeld()).isFalse();
		this.proxy.heal();
		try (LockLease next = get(waiting)) {
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	@Tag("H45")
	void serverThatComesBackEmptyIsAccepted() throws Exception {
		for (int round = 0; round < 50; round++) {
			warmUp(this.others, "other");
		}
		try (EmbeddedZooKeeper fresh = EmbeddedZooKeeper.startNew();
				ZooKeeperLocks operator = ZooKeeperLocks.builder(fresh.connectString()).build()) {
			operator.zooKeeper().create(chroot(), new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
			ZooKeeperLocks brief = registry(this.proxy, SHORT_SESSION);
			LockLease lease = brief.lock("lock").acquire();
			CompletableFuture<LockLease> waiting = acquire(brief.lock("lock"));
			this.proxy.retarget(fresh.connectString());
			this.proxy.cut();
			get(waiting);
			assertThat(lease.isHeld()).isFalse();
			assertThat(fresh.view().children(chroot() + parent("lock"))).hasSize(1);
			brief.close();
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
		expireInClient(this.locks, handle);
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
