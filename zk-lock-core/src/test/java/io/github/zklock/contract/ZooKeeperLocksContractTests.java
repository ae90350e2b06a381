package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.zookeeper.ZooKeeperLocks;

@EmbeddedZooKeeperTest
class ZooKeeperLocksContractTests extends LockRegistryContract {

	private final String connectString;

	private int roots;

	ZooKeeperLocksContractTests(@ConnectString String connectString) {
		this.connectString = connectString;
	}

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		ZooKeeperLocks.Builder builder = builder().handOverWait(handOverWait).closeWait(Duration.ZERO);
		listeners.forEach(builder::listener);
		return builder.build();
	}

	@Override
	LockRegistry createPatient(Duration closeWait) {
		return builder().closeWait(closeWait).build();
	}

	private ZooKeeperLocks.Builder builder() {
		return ZooKeeperLocks.builder(this.connectString)
			.root("/root-" + ++this.roots)
			.sessionTimeout(Duration.ofSeconds(30))
			.connectTimeout(PATIENCE)
			.answerTimeout(PATIENCE);
	}

}
