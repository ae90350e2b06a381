package io.github.zklock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.leader.Participant;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Elections without disturbances.
 */
class ElectionTests extends ElectionTestSupport {

	private final ZooKeeperLocks one = registry();

	private final ZooKeeperLocks two = registry();

	ElectionTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void whoJoinsFirstLeads() throws Exception {
		Instant before = Instant.now().minusMillis(1);
		LeaderElection first = lead(this.one);
		LeaderElection second = this.two.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		assertThat(second.leadership().isLeader()).isFalse();
		assertThat(second.leadership().since()).isEmpty();
		assertThatIllegalStateException().isThrownBy(second.leadership()::fencingToken).withMessageContaining(ROLE);
		assertThat(first.leadership().since().orElseThrow()).isBetween(before, Instant.now());
		assertThat(first.leadership().role()).isEqualTo(ROLE);
	}

	@Test
	void leavingHandsOverAtOnce() throws Exception {
		LeaderElection first = lead(this.one);
		LeaderElection second = this.two.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		long token = first.leadership().fencingToken();
		first.leave();
		assertThat(leaderNodes()).as("when leave returns").hasSize(1);
		assertThat(first.leadership().isLeader()).isFalse();
		awaitLeader(second);
		assertThat(second.leadership().fencingToken()).isGreaterThan(token);
	}

	@Test
	void closingHandsOverAtOnce() throws Exception {
		lead(this.one);
		LeaderElection second = this.two.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		this.one.close();
		awaitLeader(second);
	}

	@Test
	void waitingParticipantLeaves() throws Exception {
		LeaderElection first = lead(this.one);
		LeaderElection second = this.two.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		second.leave();
		assertThat(leaderNodes()).hasSize(1);
		first.leave();
		assertThat(leaderNodes()).isEmpty();
		assertThat(second.leadership().isLeader()).isFalse();
	}

	@Test
	void joiningAndLeavingTwiceHasNoEffect() throws Exception {
		LeaderElection election = this.one.election(ROLE);
		election.leave();
		election.join();
		election.join();
		awaitLeader(election);
		assertThat(leaderNodes()).hasSize(1);
		election.leave();
		election.leave();
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void whoLeavesMayJoinAgain() throws Exception {
		LeaderElection first = lead(this.one);
		LeaderElection second = this.two.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		long token = first.leadership().fencingToken();
		first.leave();
		first.join();
		awaitLeader(second);
		awaitLeaderNodes(2);
		assertThat(first.leadership().isLeader()).as("joins at the end of the queue").isFalse();
		second.leave();
		awaitLeader(first);
		assertThat(first.leadership().fencingToken()).isGreaterThan(token);
	}

	@Test
	void joinsAndLeavesInAnyOrderEndAsTheLastOneSaid() {
		LeaderElection election = this.one.election(ROLE);
		for (int round = 0; round < 200; round++) {
			election.join();
			if (round % 3 == 0) {
				await().atMost(PATIENCE).until(election.leadership()::isLeader);
			}
			election.leave();
			assertThat(election.leadership().isLeader()).isFalse();
			assertThat(leaderNodes()).isEmpty();
		}
		election.join();
		awaitLeader(election);
		assertThat(leaderNodes()).hasSize(1);
	}

	@Test
	@Tag("CURATOR-504")
	@Tag("CURATOR-653")
	void racesOfJoinAndLeaveLeaveAtMostOneNode() throws Exception {
		LeaderElection election = this.one.election(ROLE);
		List<CompletableFuture<Void>> racers = new ArrayList<>();
		for (int racer = 0; racer < 4; racer++) {
			racers.add(call(() -> {
				for (int round = 0; round < 100; round++) {
					election.join();
					assertThat(leaderNodes()).hasSizeLessThan(2);
					election.leave();
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> racer : racers) {
			get(racer);
		}
		election.leave();
		awaitLeaderNodes(0);
		election.join();
		awaitLeader(election);
	}

	@Test
	void tokenIsTheCreationOfTheNode() throws Exception {
		LeaderElection election = lead(this.one);
		Stat stat = this.two.zooKeeper().exists(parentOfRole(ROLE) + "/" + leaderNodes().get(0), false);
		assertThat(election.leadership().fencingToken()).isEqualTo(stat.getCzxid());
		assertThat(leaderNodes().get(0)).matches("_c_[0-9a-f-]{36}-lock-\\d{10}");
	}

	@Test
	void participantsAreInOrder() throws Exception {
		LeaderElection first = lead(this.one);
		LeaderElection second = this.two.election(ROLE);
		second.join();
		awaitLeaderNodes(2);
		assertThat(second.participants()).extracting(Participant::instance, Participant::leading, Participant::self)
			.containsExactly(tuple(this.one.instance(), true, false), tuple(this.two.instance(), false, true));
		assertThat(first.leader().orElseThrow().self()).isTrue();
		assertThat(first.leader().orElseThrow().host()).isNotEmpty();
	}

	@Test
	void nobodyJoinsAClosedRegistry() {
		LeaderElection election = this.one.election(ROLE);
		this.one.close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(election::join)
			.withMessageContaining("'role'")
			.withMessageContaining("closed");
		election.leave();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(election::leader);
	}

	@Test
	@Tag("H90")
	void joinsWhenTheServerComesUp() throws Exception {
		FaultProxy proxy = proxy();
		proxy.refuse();
		LeaderElection election = registry(proxy).election(ROLE);
		election.join();
		election.leave();
		election.join();
		proxy.heal();
		awaitLeader(election);
	}

	@Test
	void hundredsOfRolesCostOneHeartbeat() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = registry(proxy, Duration.ofSeconds(16));
		List<LeaderElection> elections = IntStream.range(0, 300)
			.mapToObj((role) -> locks.election("r" + role))
			.toList();
		elections.forEach(LeaderElection::join);
		elections.forEach(ElectionTestSupport::awaitLeader);
		// each node is read once, at the first heartbeat
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_SERVER, Operation.GET_DATA) >= elections.size());
		proxy.resetCounts();
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_SERVER, Operation.SYNC) >= 2);
		assertThat(proxy.frames(Direction.TO_SERVER)).as("requests during two heartbeats").isLessThan(10);
		assertThat(elections).allMatch((election) -> election.leadership().isLeader());
	}

	// Listeners

	@Test
	void listenerThatComesLateIsTold() throws Exception {
		LeaderElection election = lead(this.one);
		new LeadershipRecorder(election).awaitEvents("granted");
		election.leave();
		LeadershipRecorder idle = new LeadershipRecorder(election);
		election.join();
		idle.awaitEvents("granted");
	}

	@Test
	void removedListenerHearsNothingMore() throws Exception {
		LeaderElection election = this.one.election(ROLE);
		LeadershipRecorder removed = new LeadershipRecorder(election);
		LeadershipRecorder kept = new LeadershipRecorder(election);
		election.join();
		removed.awaitEvents("granted");
		election.removeListener(removed);
		election.leave();
		kept.awaitEvents("granted", "revoked");
		removed.awaitEvents("granted");
	}

	@Test
	void listenerMayLeaveAndJoin() throws Exception {
		LeaderElection election = this.one.election(ROLE);
		AtomicBoolean left = new AtomicBoolean();
		election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				if (left.compareAndSet(false, true)) {
					election.leave();
					election.join();
				}
			}

		});
		LeadershipRecorder recorder = new LeadershipRecorder(election);
		election.join();
		recorder.awaitEvents("granted", "revoked", "granted");
		awaitLeader(election);
	}

}
