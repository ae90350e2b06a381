package io.github.zklock.spring.local;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;

class LocalNameContractTests extends NameContract {

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		return new LocalLocks(handOverWait, listeners);
	}

}
