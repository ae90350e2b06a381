package io.github.zklock.autoconfigure;

import java.time.Duration;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
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
		try {
			this.context.publishEvent(new LockLostEvent(lease.name()));
		}
		catch (RuntimeException ex) {
			// While the context closes, its listeners go away one by one
			if (!this.context.isClosed()) {
				throw ex;
			}
		}
	}

}
