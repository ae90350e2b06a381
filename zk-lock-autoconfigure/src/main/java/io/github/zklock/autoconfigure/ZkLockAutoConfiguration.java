package io.github.zklock.autoconfigure;

import io.github.zklock.LockRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of locks and elections. An application that has a
 * {@link LockRegistry} of its own gets no connection to ZooKeeper.
 */
@AutoConfiguration(after = { SslAutoConfiguration.class, TaskExecutionAutoConfiguration.class })
@EnableConfigurationProperties(ZkLockProperties.class)
@Import(ZkLockAnnotationConfiguration.class)
public final class ZkLockAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@Conditional(PropertyCondition.Enabled.class)
	@Import({ EmbeddedZooKeeperConfiguration.class, ZooKeeperConfiguration.class, LocalLocksConfiguration.class,
			LockTemplateConfiguration.class })
	static class EnabledConfiguration {

		@Bean
		ValidatedProperties zkLockValidatedProperties(ZkLockProperties properties, ApplicationContext context) {
			return new ValidatedProperties(properties, context.getEnvironment(), context.getClassLoader());
		}

	}

}
