package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

class LocalLocksContractTests extends LockRegistryContract {

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		return new LocalLocks(handOverWait, listeners);
	}

	@Override
	LockRegistry createPatient(Duration closeWait) {
		return new LocalLocks(PATIENCE, closeWait, List.of());
	}

}
