package io.github.zklock.engine;

import java.util.List;

import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.zookeeper.ZooKeeperLocks;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests of elections need: the nodes of a role, and its leader.
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
		awaitClosely().untilAsserted(() -> assertThat(leaderNodes()).hasSize(count));
	}

	static void awaitLeader(LeaderElection election) {
		awaitClosely().until(election.leadership()::isLeader);
	}

	static LeaderElection lead(ZooKeeperLocks locks) {
		LeaderElection election = locks.election(ROLE);
		election.join();
		awaitLeader(election);
		return election;
	}

}
