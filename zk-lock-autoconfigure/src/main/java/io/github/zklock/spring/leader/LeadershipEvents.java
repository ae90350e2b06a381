package io.github.zklock.spring.leader;

import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.spring.LeadershipGrantedEvent;
import io.github.zklock.spring.LeadershipRevokedEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells the application of the leadership in one role. Its listeners are called on a
 * thread of the registry, so they may take their time.
 */
final class LeadershipEvents implements LeadershipListener {

	private static final Logger logger = LoggerFactory.getLogger(LeadershipEvents.class);

	private final ApplicationEventPublisher publisher;

	LeadershipEvents(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void granted(String role, long fencingToken) {
		publish(new LeadershipGrantedEvent(role, fencingToken));
	}

	@Override
	public void revoked(String role, long fencingToken) {
		publish(new LeadershipRevokedEvent(role, fencingToken));
	}

	private void publish(Object event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A listener of {} has failed", event, ex);
		}
	}

}
