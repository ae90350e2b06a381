package io.github.zklock.autoconfigure;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.zklock.LockInspector;
import io.github.zklock.LockListener;
import io.github.zklock.LockRegistry;
import io.github.zklock.local.LocalLocks;

import org.springframework.beans.factory.ObjectProvider;
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
	LocalLocksLifecycle zkLockLocal(ValidatedProperties properties, ConfigurableApplicationContext context,
			ObjectProvider<LockListener> listeners) {
		LockListener publisher = new LockLossPublisher(context);
		Duration handOverWait = properties.get().leader().handOverWait();
		Duration closeWait = properties.get().shutdown().waitTime();
		return new LocalLocksLifecycle(() -> new LocalLocks(properties.instance(), handOverWait, closeWait,
				Stream.concat(Stream.of(publisher), listeners.orderedStream()).toList()));
	}

	@Bean
	LockRegistry zkLockRegistry(LocalLocksLifecycle local) {
		return new RestartableRegistry(local.runs());
	}

	@Bean
	@ConditionalOnMissingBean
	LockInspector zkLockInspector(LocalLocksLifecycle local) {
		return new RestartableInspector(local.runs());
	}

}
