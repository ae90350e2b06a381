package io.github.zklock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every fault at every frame of an election. Whatever happens, there are never two
 * leaders, a leader is found, listeners are told in order, and nothing is left behind.
 */
@Tag("H30")
@Tag("H33")
class ElectionEveryFrameTests extends EveryFrameSupport {

	private final ZooKeeperLocks others = registry();

	ElectionEveryFrameTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Override
	void prepare(String attempt) {
		LeaderElection election = this.others.election(attempt);
		election.join();
		ElectionTestSupport.awaitLeader(election);
		election.leave();
	}

	@Test
	void joiningAndLeavingSurviveEveryFault() throws Exception {
		attemptAtEveryFrame("join", (role, locks, proxy) -> {
			LeaderElection election = locks.election(role);
			LeadershipRecorder recorder = new LeadershipRecorder(election);
			election.join();
			ElectionTestSupport.awaitLeader(election);
			election.leave();
			election.join();
			ElectionTestSupport.awaitLeader(election);
			election.leave();
			proxy.heal();
			awaitNobody(role);
			awaitRevoked(recorder);
		});
	}

	@Test
	void takingTurnsSurvivesEveryFault() throws Exception {
		attemptAtEveryFrame("turns", (role, locks, proxy) -> {
			LeaderElection election = locks.election(role);
			LeaderElection other = this.others.election(role);
			LeadershipRecorder recorder = new LeadershipRecorder(election);
			AtomicBoolean over = new AtomicBoolean();
			CompletableFuture<Void> watcher = call(() -> {
				while (!over.get()) {
					assertNotBoth(election, other);
					LockSupport.parkNanos(1_000_000);
				}
				return null;
			});
			other.join();
			ElectionTestSupport.awaitLeader(other);
			election.join();
			other.leave();
			ElectionTestSupport.awaitLeader(election);
			other.join();
			election.leave();
			ElectionTestSupport.awaitLeader(other);
			other.leave();
			proxy.heal();
			over.set(true);
			get(watcher);
			awaitNobody(role);
			awaitRevoked(recorder);
		});
	}

	/**
	 * Both lead at once if one leads while the other leads before and after.
	 */
	private static void assertNotBoth(LeaderElection one, LeaderElection other) {
		if (!one.leadership().isLeader() || !other.leadership().isLeader()) {
			return;
		}
		long before = token(one);
		if (before != 0 && token(other) != 0) {
			assertThat(token(one)).as("leads while the other leads").isNotEqualTo(before);
		}
	}

	private static long token(LeaderElection election) {
		try {
			return election.leadership().fencingToken();
		}
		catch (IllegalStateException ex) {
			return 0;
		}
	}

	private void awaitNobody(String role) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.untilAsserted(() -> assertThat(server().view().children(chroot() + ElectionTestSupport.parentOfRole(role)))
				.isEmpty());
	}

	private static void awaitRevoked(LeadershipRecorder recorder) {
		await().atMost(PATIENCE).until(() -> {
			return recorder.lastEvent().equals("revoked");
		});
		recorder.assertOrderly();
	}

}
