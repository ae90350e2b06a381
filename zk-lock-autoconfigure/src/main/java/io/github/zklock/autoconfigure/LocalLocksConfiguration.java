package io.github.zklock.autoconfigure;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Locks in the application context.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(PropertyCondition.Local.class)
@ConditionalOnMissingBean(LockRegistry.class)
class LocalLocksConfiguration {

	@Bean
	LockLifecycle zkLockLocal(ValidatedProperties properties, ConfigurableApplicationContext context) {
		LocalLocks.Builder builder = LocalLocks.builder()
			.instance(properties.instance())
			.handOverWait(properties.get().leader().handOverWait())
			.closeWait(properties.get().shutdown().waitTime())
			.listener(new LockLossPublisher(context));
		ListenerBeans.of(context.getBeanFactory()).forEach(builder::listener);
		return new LockLifecycle(builder.build());
	}

	@Bean
	LockRegistry zkLockRegistry(LockLifecycle local) {
		return local.registry();
	}

	@Bean
	@ConditionalOnMissingBean
	LockInspector zkLockInspector(LockLifecycle local) {
		return local.inspector();
	}

}
