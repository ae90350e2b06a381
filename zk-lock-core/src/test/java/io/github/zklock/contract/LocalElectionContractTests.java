package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

class LocalElectionContractTests extends LeaderElectionContract {

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		LocalLocks.Builder builder = LocalLocks.builder().handOverWait(handOverWait);
		listeners.forEach(builder::listener);
		return builder.build();
	}

}
