package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockContender.Origin;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Participant;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Elections that are shared with the real Curator.
 */
class CuratorElectionTests extends ElectionTestSupport {

	private final ZooKeeperLocks locks = registry();

	private final LeaderElection election = this.locks.election(ROLE);

	private final CuratorFramework curator;

	CuratorElectionTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
		this.curator = closing(CuratorFrameworkFactory.newClient(connectString, new RetryOneTime(100)));
		this.curator.start();
	}

	/**
	 * Leads until told to stop.
	 */
	private final class Selector extends LeaderSelectorListenerAdapter {

		private final CountDownLatch mayStop = new CountDownLatch(1);

		private final LeaderSelector selector;

		private volatile boolean overlap;

		Selector(String path) {
			this.selector = closing(new LeaderSelector(CuratorElectionTests.this.curator, path, this));
			this.selector.setId("curator");
			this.selector.start();
		}

		@Override
		public void takeLeadership(CuratorFramework client) throws Exception {
			this.overlap = CuratorElectionTests.this.election.leadership().isLeader();
			assertThat(Patience.await(this.mayStop)).isTrue();
			this.overlap |= CuratorElectionTests.this.election.leadership().isLeader();
		}

	}

	@Test
	void waitsForCuratorsLeader() {
		Selector selector = new Selector(parentOfRole(ROLE));
		await().atMost(PATIENCE).until(selector.selector::hasLeadership);
		this.election.join();
		awaitLeaderNodes(2);
		assertThat(this.election.participants()).extracting(Participant::instance)
			.containsExactly("curator", this.locks.instance());
		assertThat(this.locks.queueOfRole(ROLE).get(0).origin()).isEqualTo(Origin.FOREIGN);
		assertThat(this.election.leadership().isLeader()).isFalse();
		selector.mayStop.countDown();
		awaitLeader(this.election);
		assertThat(selector.overlap).isFalse();
	}

	@Test
	void curatorsLeaderWaits() throws Exception {
		lead(this.locks);
		Selector selector = new Selector(parentOfRole(ROLE));
		awaitLeaderNodes(2);
		assertThat(selector.selector.getLeader().getId()).contains(this.locks.instance());
		assertThat(selector.selector.hasLeadership()).isFalse();
		this.election.leave();
		await().atMost(PATIENCE).until(selector.selector::hasLeadership);
		selector.mayStop.countDown();
		await().atMost(PATIENCE).until(() -> !selector.selector.hasLeadership());
		assertThat(selector.overlap).isFalse();
	}

	@Test
	void mutexAndSelectorShareAPathWithLocksAndElections() throws Exception {
		InterProcessMutex mutex = new InterProcessMutex(this.curator, parentOfRole(ROLE));
		mutex.acquire();
		this.election.join();
		awaitLeaderNodes(2);
		assertThat(this.election.leadership().isLeader()).isFalse();
		mutex.release();
		awaitLeader(this.election);
		LockLease lease = this.locks.lock("lock").acquire();
		Selector selector = new Selector(parent("lock"));
		awaitNodes("lock", 2);
		assertThat(selector.selector.hasLeadership()).isFalse();
		lease.close();
		await().atMost(PATIENCE).until(selector.selector::hasLeadership);
		CompletableFuture<LockLease> waiting = this.locks.lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		assertThat(waiting).isNotDone();
		selector.mayStop.countDown();
		get(waiting).close();
	}

	/**
	 * An unsynchronised counter as the witness.
	 */
	@Test
	void turnsWithCuratorNeverOverlap() throws Exception {
		int[] counter = new int[1];
		AtomicInteger turns = new AtomicInteger();
		List<CompletableFuture<Void>> participants = new ArrayList<>();
		participants.add(call(() -> {
			InterProcessMutex mutex = new InterProcessMutex(this.curator, parentOfRole(ROLE));
			for (int turn = 0; turn < 50; turn++) {
				mutex.acquire();
				counter[0]++;
				turns.incrementAndGet();
				mutex.release();
			}
			return null;
		}));
		for (ZooKeeperLocks participant : List.of(this.locks, registry())) {
			participants.add(call(() -> {
				LeaderElection own = participant.election(ROLE);
				for (int turn = 0; turn < 50; turn++) {
					own.join();
					awaitLeader(own);
					assertThat(own.leadership().run(() -> counter[0]++)).isTrue();
					turns.incrementAndGet();
					own.leave();
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> participant : participants) {
			get(participant);
		}
		assertThat(counter[0]).isEqualTo(150);
		assertThat(turns).hasValue(150);
	}

}
