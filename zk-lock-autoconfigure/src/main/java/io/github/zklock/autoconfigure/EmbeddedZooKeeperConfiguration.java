package io.github.zklock.autoconfigure;

import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.EmbeddedZooKeeper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A ZooKeeper server inside the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(EmbeddedZooKeeper.class)
@ConditionalOnBooleanProperty("zk.lock.embedded.enabled")
@ConditionalOnProperty(name = "zk.lock.type", havingValue = "zookeeper", matchIfMissing = true)
@ConditionalOnMissingBean({ LockRegistry.class, ZooKeeperConnectionDetails.class })
class EmbeddedZooKeeperConfiguration {

	@Bean
	EmbeddedZooKeeperConnectionDetails zkLockEmbeddedConnectionDetails(ValidatedProperties properties) {
		return new EmbeddedZooKeeperConnectionDetails(properties.get());
	}

}
