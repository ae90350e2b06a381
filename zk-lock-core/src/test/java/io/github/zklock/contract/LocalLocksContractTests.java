package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

class LocalLocksContractTests extends LockRegistryContract {

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		LocalLocks.Builder builder = LocalLocks.builder().handOverWait(handOverWait);
		listeners.forEach(builder::listener);
		return builder.build();
	}

	@Override
	LockRegistry createPatient(Duration closeWait) {
		return LocalLocks.builder().handOverWait(PATIENCE).closeWait(closeWait).build();
	}

}
