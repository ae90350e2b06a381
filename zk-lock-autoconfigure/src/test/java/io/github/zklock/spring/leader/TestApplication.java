package io.github.zklock.spring.leader;

import java.util.List;
import java.util.function.Consumer;

import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.Leadership;
import io.github.zklock.leader.Participant;
import io.github.zklock.zookeeper.ZooKeeperLocks;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * A small application that takes part in elections.
 */
final class TestApplication implements AutoCloseable {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	TestApplication(String connectString, Consumer<AnnotationConfigApplicationContext> configuration,
			String... properties) {
		TestPropertyValues.of(properties).and("zk.lock.connect-string=" + connectString).applyTo(this.context);
		this.context.register(LeaderTestConfiguration.class);
		configuration.accept(this.context);
		this.context.refresh();
	}

	AnnotationConfigApplicationContext context() {
		return this.context;
	}

	LeaderRoles roles() {
		return this.context.getBean(LeaderRoles.class);
	}

	Leadership leadership(String role) {
		return roles().use(role);
	}

	ZooKeeperLocks registry() {
		return this.context.getBean(ZooKeeperLocks.class);
	}

	LeaderElection election(String role) {
		return registry().election(role);
	}

	boolean hasRegistry() {
		return this.context.getBeanFactory().containsSingleton(LeaderTestConfiguration.REGISTRY);
	}

	HeardEvents heard() {
		return this.context.getBean(HeardEvents.class);
	}

	void refuseTraffic() {
		AvailabilityChangeEvent.publish(this.context, ReadinessState.REFUSING_TRAFFIC);
	}

	void acceptTraffic() {
		AvailabilityChangeEvent.publish(this.context, ReadinessState.ACCEPTING_TRAFFIC);
	}

	/**
	 * Who takes part, as ZooKeeper says, in the order in which they will lead.
	 */
	List<String> participants(String role) {
		return election(role).participants().stream().map(Participant::instance).toList();
	}

	String instance() {
		return registry().instance();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
