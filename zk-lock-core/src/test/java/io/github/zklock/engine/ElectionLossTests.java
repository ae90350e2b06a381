package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Elections with lost connections, sessions, answers and nodes, among them what has gone
 * wrong in other libraries.
 */
class ElectionLossTests extends ElectionTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(6);

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SHORT_SESSION);

	private final LeaderElection election = this.locks.election(ROLE);

	private final LeadershipRecorder recorder = new LeadershipRecorder(this.election);

	private final ZooKeeperLocks others = registry();

	private final LeaderElection elsewhere = this.others.election(ROLE);

	ElectionLossTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * End the session as a server may: when its lease is over.
	 */
	private void expire() throws Exception {
		ZooKeeper victim = this.locks.zooKeeper();
		this.proxy.hold(Direction.TO_SERVER);
		awaitLeaseEnd(this.locks);
		expireOnServer(victim);
		this.proxy.release(Direction.TO_CLIENT);
		awaitDisconnected(this.locks);
	}

	@Test
	void shortDisturbanceSuspendsAndResumes() throws Exception {
		ZooKeeperLocks patient = registry(this.proxy);
		LeaderElection election = patient.election(ROLE);
		LeadershipRecorder recorder = new LeadershipRecorder(election);
		lead(patient);
		String node = leaderNodes().get(0);
		this.proxy.cut();
		recorder.awaitEvents("granted", "suspended", "resumed");
		assertThat(election.leadership().isLeader()).isTrue();
		assertThat(leaderNodes()).containsExactly(node);
	}

	/**
	 * Also CURATOR-644: leadership that ends with the lease, not with the session, and
	 * everybody keeps his place.
	 */
	@Test
	@Tag("CURATOR-644")
	@Tag("H14")
	@Tag("H95")
	void longDisturbanceRevokesAndGrantsAgainOnTheSameNode() throws Exception {
		lead(this.locks);
		this.elsewhere.join();
		awaitLeaderNodes(2);
		List<String> nodes = leaderNodes();
		long session = this.locks.zooKeeper().getSessionId();
		int grants = this.recorder.tokens().size();
		this.proxy.hold(Direction.TO_CLIENT);
		awaitLeaseEnd(this.locks);
		assertThat(this.election.leadership().isLeader()).isFalse();
		await().atMost(PATIENCE).until(() -> this.recorder.events().contains("revoked"));
		this.proxy.heal();
		awaitLeader(this.election);
		assertThat(this.locks.zooKeeper().getSessionId()).as("the same session").isEqualTo(session);
		assertThat(leaderNodes()).containsExactlyInAnyOrderElementsOf(nodes);
		await().atMost(PATIENCE).until(() -> this.recorder.tokens().size() > grants);
		assertThat(this.recorder.tokens()).as("nobody has led in between")
			.allMatch((token) -> token.equals(this.recorder.tokens().get(0)));
		assertThat(this.elsewhere.leadership().isLeader()).isFalse();
		this.recorder.assertOrderly();
	}

	@Test
	@Tag("H95")
	void waitingParticipantKeepsItsPlace() throws Exception {
		LeaderElection first = lead(this.others);
		ZooKeeperLocks patient = registry(this.proxy);
		LeaderElection second = patient.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		ZooKeeperLocks third = registry();
		third.election(ROLE).join();
		awaitLeaderNodes(3);
		List<String> nodes = leaderNodes();
		this.proxy.refuse();
		awaitDisconnected(patient);
		this.proxy.heal();
		first.leave();
		awaitLeader(second);
		assertThat(leaderNodes()).hasSize(2).isSubsetOf(nodes);
		assertThat(third.election(ROLE).leadership().isLeader()).isFalse();
	}

	@Test
	@Tag("H03")
	void silentConnectionIsRevokedBeforeAnotherLeads() throws Exception {
		lead(this.locks);
		CompletableFuture<Boolean> ledWhenGranted = new CompletableFuture<>();
		this.elsewhere.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				ledWhenGranted.complete(ElectionLossTests.this.election.leadership().isLeader());
			}

		});
		this.elsewhere.join();
		awaitLeaderNodes(2);
		long session = this.locks.zooKeeper().getSessionId();
		this.proxy.swallow();
		keepOnServer(session);
		await().atMost(PATIENCE).until(() -> !this.election.leadership().isLeader());
		assertThat(ledWhenGranted).as("another leads while the server keeps the role").isNotDone();
		server().server().closeSession(session);
		assertThat(get(ledWhenGranted)).isFalse();
		await().atMost(PATIENCE).until(() -> this.recorder.lastEvent().equals("revoked"));
	}

	/**
	 * Also CURATOR-620, CURATOR-696: the old node may still be visible when the new
	 * session begins, and is not taken for the own one.
	 */
	@Test
	@Tag("CURATOR-620")
	@Tag("CURATOR-696")
	@Tag("H06")
	@Tag("H07")
	void newSessionJoinsWithANewNode() throws Exception {
		lead(this.locks);
		String node = leaderNodes().get(0);
		long token = this.election.leadership().fencingToken();
		expire();
		lead(this.others);
		assertThat(this.election.leadership().isLeader()).isFalse();
		this.proxy.heal();
		awaitLeaderNodes(2);
		assertThat(leaderNodes()).doesNotContain(node);
		assertThat(this.election.leadership().isLeader()).isFalse();
		this.elsewhere.leave();
		awaitLeader(this.election);
		assertThat(this.election.leadership().fencingToken()).isGreaterThan(token);
		assertThat(this.recorder.events()).filteredOn("granted"::equals).hasSizeLessThanOrEqualTo(2);
		this.recorder.assertOrderly();
	}

	/**
	 * The client believes that its session is over, the server does not: the old node is
	 * in front, and the one who has made it must not think that it leads by it.
	 */
	@Test
	@Tag("CURATOR-620")
	@Tag("CURATOR-696")
	@Tag("H06")
	@Tag("H07")
	void oldNodeInFrontIsSomebodyElses() throws Exception {
		lead(this.locks);
		String old = leaderNodes().get(0);
		ZooKeeper handle = this.locks.zooKeeper();
		expireInClient(this.locks, handle);
		await().atMost(PATIENCE).until(() -> this.recorder.events().contains("revoked"));
		await().atMost(PATIENCE).until(() -> leaderNodes().stream().anyMatch((node) -> !node.equals(old)));
		awaitLeader(this.election);
		assertThat(leaderNodes()).as("leads when the old node is gone").doesNotContain(old);
		await().atMost(PATIENCE).until(() -> this.recorder.tokens().size() == 2);
		assertThat(this.recorder.tokens().get(1)).isGreaterThan(this.recorder.tokens().get(0));
		this.recorder.assertOrderly();
	}

	/**
	 * The delete of a leader that leaves is lost, and the session lives on: it must not
	 * wait behind its own old node.
	 */
	@Test
	@Tag("CURATOR-202")
	@Tag("H94")
	void joinsAgainOnlyWhenTheOldNodeIsGone() throws Exception {
		List<Function<FaultProxy, FaultProxy.Trigger>> faults = List.of(
				(connection) -> connection.drop(Direction.TO_SERVER, Operation.DELETE, 1),
				(connection) -> connection.drop(Direction.TO_CLIENT, Operation.DELETE, 1),
				(connection) -> connection.cutBefore(Operation.DELETE, 1),
				(connection) -> connection.cutAfter(Operation.DELETE, 1));
		for (Function<FaultProxy, FaultProxy.Trigger> fault : faults) {
			lead(this.locks);
			String old = leaderNodes().get(0);
			FaultProxy.Trigger lost = fault.apply(this.proxy);
			CompletableFuture<Void> leaving = call(() -> {
				this.election.leave();
				return null;
			});
			assertThat(lost.await(PATIENCE)).isTrue();
			this.election.join();
			while (!this.election.leadership().isLeader()) {
				assertThat(leaderNodes()).hasSizeLessThan(2);
			}
			assertThat(leaderNodes()).hasSize(1).doesNotContain(old);
			get(leaving);
		}
		this.recorder.assertOrderly();
	}

	/**
	 * Whoever asks is told the truth, even if no thread of this library gets to run.
	 */
	@Test
	void leadershipEndsWithTheLeaseAndNotWithTheNewsOfIt() throws Exception {
		lead(this.locks);
		CountDownLatch mayGoOn = new CountDownLatch(1);
		keeper(this.locks).loop().execute(() -> {
			try {
				mayGoOn.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		await().atMost(PATIENCE).until(() -> !this.election.leadership().isLeader());
		this.recorder.awaitEvents("granted");
		mayGoOn.countDown();
		await().atMost(PATIENCE).until(() -> this.recorder.events().contains("revoked"));
	}

	@Test
	void leavingWithoutAConnectionReturnsAtOnce() throws Exception {
		lead(this.locks);
		this.proxy.refuse();
		this.proxy.cut();
		awaitDisconnected(this.locks);
		this.election.leave();
		assertThat(this.election.leadership().isLeader()).isFalse();
		assertThat(leaderNodes()).hasSize(1);
		this.proxy.heal();
		awaitLeaderNodes(0);
		this.recorder.awaitEvents("granted", "suspended", "revoked");
	}

	/**
	 * Also CURATOR-504, CURATOR-653: whatever was under way when somebody left or lost
	 * his session, is finished before something new begins.
	 */
	@Test
	@Tag("CURATOR-504")
	@Tag("CURATOR-653")
	void lostCreateIsFoundAgain() throws Exception {
		this.others.election(ROLE).join();
		awaitLeader(this.elsewhere);
		this.elsewhere.leave();
		this.locks.zooKeeper();
		FaultProxy.Trigger cut = this.proxy.cutAfter(Operation.CREATE, 1);
		this.election.join();
		assertThat(cut.await(PATIENCE)).isTrue();
		awaitLeader(this.election);
		assertThat(leaderNodes()).hasSize(1);
		Stat stat = this.others.zooKeeper().exists(parentOfRole(ROLE) + "/" + leaderNodes().get(0), false);
		assertThat(this.election.leadership().fencingToken()).isEqualTo(stat.getCzxid());
	}

	@Test
	void leavingWhileACreateIsLostLeavesNoNode() throws Exception {
		lead(this.locks);
		this.election.leave();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		this.election.join();
		assertThat(held.await(PATIENCE)).isTrue();
		CompletableFuture<Void> leaving = call(() -> {
			this.election.leave();
			return null;
		});
		this.proxy.cut();
		this.proxy.heal();
		get(leaving);
		awaitLeaderNodes(0);
		lead(this.locks);
	}

	@Test
	@Tag("H12")
	void nodeDeletedByHandIsNoticed() throws Exception {
		lead(this.locks);
		this.others.zooKeeper().delete(parentOfRole(ROLE) + "/" + leaderNodes().get(0), -1);
		this.recorder.awaitEvents("granted", "revoked", "granted");
		awaitLeader(this.election);
		assertThat(this.recorder.tokens().get(1)).isGreaterThan(this.recorder.tokens().get(0));
	}

	@Test
	@Tag("H88")
	void flappingConnectionIsToldInOrder() throws Exception {
		LeadershipRecorder other = new LeadershipRecorder(this.elsewhere);
		this.election.join();
		for (int round = 0; round < 6; round++) {
			awaitLeader(this.election);
			this.elsewhere.join();
			this.proxy.refuse();
			awaitDisconnected(this.locks);
			this.proxy.heal();
			awaitConnected(this.locks);
			switch (round % 3) {
				case 0 -> this.election.leave();
				case 1 -> Sessions.expire(this.locks.zooKeeper());
				default -> this.proxy.cut();
			}
			this.election.join();
			this.elsewhere.leave();
		}
		awaitLeader(this.election);
		this.election.leave();
		await().atMost(PATIENCE).until(() -> this.recorder.lastEvent().equals("revoked"));
		this.recorder.assertOrderly();
		other.assertOrderly();
		assertThat(this.recorder.events()).contains("suspended", "resumed");
	}

	@Test
	@Tag("H05")
	void expiryDuringTheGrantIsNoGrant() throws Exception {
		lead(this.locks);
		this.election.leave();
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.GET_CHILDREN, 1);
		this.election.join();
		assertThat(held.await(PATIENCE)).isTrue();
		expire();
		lead(this.others);
		assertThat(this.election.leadership().isLeader()).isFalse();
		this.proxy.heal();
		awaitLeaderNodes(2);
		assertThat(this.election.leadership().isLeader()).isFalse();
		assertThat(this.elsewhere.leadership().isLeader()).isTrue();
	}

	@Test
	void refusedParticipantTriesAgain() throws Exception {
		ZooKeeper operator = this.others.zooKeeper();
		lead(this.others);
		this.elsewhere.leave();
		List<ACL> nobody = Arrays.asList(new ACL(ZooDefs.Perms.READ | ZooDefs.Perms.ADMIN, new Id("world", "anyone")));
		operator.setACL(parentOfRole(ROLE), nobody, -1);
		this.election.join();
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.CREATE) >= 2);
		assertThat(this.election.leadership().isLeader()).isFalse();
		operator.setACL(parentOfRole(ROLE), ZooDefs.Ids.OPEN_ACL_UNSAFE, -1);
		awaitLeader(this.election);
	}

	@Test
	@Tag("CURATOR-644")
	@Tag("H95")
	void twentyCandidatesAreNeverTwoLeaders() throws Exception {
		List<FaultProxy> proxies = new ArrayList<>();
		List<LeaderElection> elections = new ArrayList<>();
		for (int candidate = 0; candidate < 20; candidate++) {
			proxies.add(proxy());
			elections.add(registry(proxies.get(candidate)).election(ROLE));
			elections.get(candidate).join();
		}
		awaitLeaderNodes(20);
		HashSet<String> places = new HashSet<>(leaderNodes());
		for (int round = 0; round < 10; round++) {
			proxies.forEach(FaultProxy::cut);
			await().atMost(PATIENCE)
				.until(() -> elections.stream().filter((election) -> election.leadership().isLeader()).count() == 1);
		}
		awaitLeaderNodes(20);
		assertThat(leaderNodes()).as("h95: everybody has kept his place").containsExactlyInAnyOrderElementsOf(places);
	}

}
