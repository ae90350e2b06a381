package io.github.zklock.spring.leader;

import java.time.Duration;
import java.util.List;

import io.github.zklock.LockRegistry;
import io.github.zklock.zookeeper.ZooKeeperLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * The beans that take part in elections, wired by hand.
 */
@Configuration(proxyBeanMethods = false)
class LeaderTestConfiguration {

	static final String REGISTRY = "zkLockRegistry";

	@Bean(REGISTRY)
	@Lazy
	ZooKeeperLocks registry(Environment environment) {
		Binder binder = Binder.get(environment);
		return ZooKeeperLocks.builder(environment.getRequiredProperty("zk.lock.connect-string"))
			.sessionTimeout(Duration.ofSeconds(30))
			.connectTimeout(Duration.ofSeconds(30))
			.serverTick(Duration.ofMillis(500))
			.handOverWait(binder.bind("zk.lock.leader.hand-over-wait", Duration.class).orElse(Duration.ofSeconds(20)))
			.closeWait(Duration.ZERO)
			.build();
	}

	@Bean(LeaderRoles.BEAN_NAME)
	LeaderRoles leaderRoles(ApplicationContext context, ObjectProvider<LockRegistry> registry,
			Environment environment) {
		Binder binder = Binder.get(environment);
		return new LeaderRoles(context, registry::getObject, environment.getProperty("spring.application.name"),
				binder.bind("zk.lock.leader.roles", Bindable.listOf(String.class)).orElse(List.of()),
				binder.bind("zk.lock.leader.follow-readiness", Boolean.class).orElse(true));
	}

	@Bean
	static LeadershipBeans leadershipBeans(Environment environment) {
		return new LeadershipBeans(environment);
	}

	@Bean
	HeardEvents heardEvents(LeaderRoles roles) {
		return new HeardEvents(roles);
	}

}
