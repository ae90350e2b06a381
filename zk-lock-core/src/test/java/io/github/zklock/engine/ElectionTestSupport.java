package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.zookeeper.ZooKeeperLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What tests of elections need: the nodes of a role, and listeners that remember.
 */
abstract class ElectionTestSupport extends LockTestSupport {

	static final String ROLE = "role";

	ElectionTestSupport(EmbeddedZooKeeper server, String connectString) {
		super(server, connectString);
	}

	static String parentOfRole(String role) {
		return LockPath.of("/zk-lock", "leaders", role).parent();
	}

	List<String> leaderNodes() {
		return server().view().children(chroot() + parentOfRole(ROLE));
	}

	void awaitLeaderNodes(int count) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(leaderNodes()).hasSize(count));
	}

	static void awaitLeader(LeaderElection election) {
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(election.leadership()::isLeader);
	}

	static LeaderElection lead(ZooKeeperLocks locks) {
		LeaderElection election = locks.election(ROLE);
		election.join();
		awaitLeader(election);
		return election;
	}

	/**
	 * Remembers what it has heard, and notices what does not fit.
	 */
	static final class Recorder implements LeadershipListener {

		private final LeaderElection election;

		private final List<String> events = new ArrayList<>();

		private final List<Long> tokens = new ArrayList<>();

		Recorder(LeaderElection election) {
			this.election = election;
			election.addListener(this);
		}

		@Override
		public void granted(String role, long fencingToken) {
			record("granted", "", fencingToken);
			synchronized (this) {
				this.tokens.add(fencingToken);
			}
		}

		@Override
		public void suspended(String role, long fencingToken) {
			record("suspended", "granted resumed", fencingToken);
		}

		@Override
		public void resumed(String role, long fencingToken) {
			record("resumed", "suspended", fencingToken);
		}

		@Override
		public void revoked(String role, long fencingToken) {
			record("revoked", "granted suspended resumed", fencingToken);
		}

		private synchronized void record(String event, String after, long token) {
			String last = lastEvent();
			boolean fits = event.equals("granted") ? last.isEmpty() || last.equals("revoked")
					: after.contains(last) && !last.isEmpty() && token == this.tokens.get(this.tokens.size() - 1);
			this.events.add(fits ? event : "%s after %s".formatted(event, last));
		}

		synchronized List<String> events() {
			return List.copyOf(this.events);
		}

		synchronized String lastEvent() {
			return this.events.isEmpty() ? "" : this.events.get(this.events.size() - 1);
		}

		synchronized List<Long> tokens() {
			return List.copyOf(this.tokens);
		}

		void awaitEvents(String... expected) {
			await().atMost(PATIENCE)
				.pollInterval(Duration.ofMillis(2))
				.untilAsserted(() -> assertThat(events()).as("%s", this.election).containsExactly(expected));
		}

		/**
		 * The events fit together, and the last one says whether the process leads.
		 */
		void assertOrderly() {
			List<String> heard = events();
			assertThat(heard).allMatch((event) -> !event.contains(" "));
		}

	}

}
