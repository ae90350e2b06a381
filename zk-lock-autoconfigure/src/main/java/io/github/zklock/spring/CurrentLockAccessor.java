package io.github.zklock.spring;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation carry the knowledge of {@link CurrentLock} to
 * other threads. A thread that is told of a lock in this way may look at its lease, but
 * does not hold it. Found by {@link java.util.ServiceLoader}.
 */
public class CurrentLockAccessor implements ThreadLocalAccessor<Object> {

	@Override
	public Object key() {
		return PropagatedLocks.KEY;
	}

	@Override
	public @Nullable Object getValue() {
		return PropagatedLocks.capture();
	}

	@Override
	public void setValue(Object value) {
		PropagatedLocks.set(((PropagatedLocks) value).innermost());
	}

	@Override
	public void setValue() {
		PropagatedLocks.set(null);
	}

	@Override
	public void restore(Object previousValue) {
		PropagatedLocks.set(((PropagatedLocks) previousValue).before());
	}

}
