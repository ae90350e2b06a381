package io.github.zklock.contract;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

class LocalNameContractTests extends NameContract {

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		return LocalLocks.builder().handOverWait(handOverWait).build();
	}

}
