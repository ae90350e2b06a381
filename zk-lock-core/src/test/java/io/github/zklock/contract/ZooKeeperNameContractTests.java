package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.zookeeper.ZooKeeperLocks;

@EmbeddedZooKeeperTest
class ZooKeeperNameContractTests extends NameContract {

	private final String connectString;

	ZooKeeperNameContractTests(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		return ZooKeeperLocks.builder(this.connectString)
			.sessionTimeout(Duration.ofSeconds(30))
			.connectTimeout(PATIENCE)
			.answerTimeout(PATIENCE)
			.handOverWait(handOverWait)
			.closeWait(Duration.ZERO)
			.build();
	}

}
