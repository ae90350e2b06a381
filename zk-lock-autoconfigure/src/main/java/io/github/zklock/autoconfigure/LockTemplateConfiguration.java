package io.github.zklock.autoconfigure;

import io.github.zklock.LockRegistry;
import io.github.zklock.spring.LockTemplate;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The template, on whichever registry there is.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSingleCandidate(LockRegistry.class)
class LockTemplateConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockTemplate zkLockTemplate(LockRegistry registry, ValidatedProperties properties, BeanFactory beanFactory) {
		return new LockTemplate(registry, properties.get().maxWait(), new LazyTaskExecutor(beanFactory));
	}

}
