package io.github.zklock.autoconfigure;

import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.EmbeddedZooKeeper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * A ZooKeeper server inside the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(EmbeddedZooKeeper.class)
@Conditional({ PropertyCondition.Embedded.class, PropertyCondition.InZooKeeper.class })
@ConditionalOnMissingBean({ LockRegistry.class, ZooKeeperConnectionDetails.class })
class EmbeddedZooKeeperConfiguration {

	@Bean
	EmbeddedZooKeeperConnectionDetails zkLockEmbeddedConnectionDetails(ValidatedProperties properties) {
		return new EmbeddedZooKeeperConnectionDetails(properties.get());
	}

}
