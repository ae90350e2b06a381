package io.github.zklock.autoconfigure;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.spring.aop.LockAdvisingPostProcessor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Locks in ZooKeeper.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(PropertyCondition.InZooKeeper.class)
@ConditionalOnMissingBean(LockRegistry.class)
class ZooKeeperConfiguration {

	@Bean
	@ConditionalOnMissingBean(ZooKeeperConnectionDetails.class)
	PropertiesZooKeeperConnectionDetails zkLockConnectionDetails(ValidatedProperties properties,
			ObjectProvider<SslBundles> sslBundles) {
		return new PropertiesZooKeeperConnectionDetails(properties.get(), sslBundles.getIfAvailable());
	}

	@Bean
	@ConditionalOnMissingBean
	ZooKeeperClient zkLockClient(ValidatedProperties properties, ZooKeeperConnectionDetails details,
			ObjectProvider<LockAdvisingPostProcessor> advice, ConfigurableApplicationContext context,
			ObjectProvider<ZooKeeperLocksBuilderCustomizer> customizers, ObjectProvider<LoggingSystem> loggingSystem) {
		ZooKeeperLocksFactory factory = new ZooKeeperLocksFactory(properties, details, new LockLossPublisher(context),
				ListenerBeans.of(context.getBeanFactory()), customizers);
		ClientConfiguration clientConfiguration = factory.clientConfiguration(loggingSystem.getIfAvailable());
		if (details instanceof PropertiesZooKeeperConnectionDetails own) {
			own.onBundleUpdate(clientConfiguration::update);
		}
		return new ZooKeeperClient(factory.create(clientConfiguration), clientConfiguration, factory.address(),
				() -> advice.stream().anyMatch(LockAdvisingPostProcessor::isUsed), properties.get());
	}

	@Bean
	LockRegistry zkLockRegistry(ZooKeeperClient client) {
		return client.registry();
	}

	@Bean
	@ConditionalOnMissingBean
	LockInspector zkLockInspector(ZooKeeperClient client) {
		return client.inspector();
	}

}
