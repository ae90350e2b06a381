package io.github.zklock.autoconfigure;

import java.time.Duration;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LossReason;
import io.github.zklock.spring.LockLostEvent;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Publishes the loss of locks as events, as long as there is somebody to hear them.
 */
final class LockLossPublisher implements LockListener {

	private final ConfigurableApplicationContext context;

	LockLossPublisher(ConfigurableApplicationContext context) {
		this.context = context;
	}

	@Override
	public void lost(LockLease lease, Duration held) {
		LossReason reason = lease.loss().map(LockLostException::reason).orElse(LossReason.INTERNAL_ERROR);
		try {
			this.context.publishEvent(new LockLostEvent(lease.name(), reason));
		}
		catch (RuntimeException ex) {
			// While the context closes, its listeners go away one by one
			if (!this.context.isClosed()) {
				throw ex;
			}
		}
	}

}
