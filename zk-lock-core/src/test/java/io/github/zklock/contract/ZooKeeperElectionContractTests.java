package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.zookeeper.ZooKeeperLocks;

@EmbeddedZooKeeperTest
class ZooKeeperElectionContractTests extends LeaderElectionContract {

	private final String connectString;

	private int roots;

	ZooKeeperElectionContractTests(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		ZooKeeperLocks.Builder builder = ZooKeeperLocks.builder(this.connectString)
			.root("/root-" + ++this.roots)
			.sessionTimeout(Duration.ofSeconds(30))
			.connectTimeout(PATIENCE)
			.answerTimeout(PATIENCE)
			.handOverWait(handOverWait)
			.closeWait(Duration.ZERO);
		listeners.forEach(builder::listener);
		return builder.build();
	}

}
