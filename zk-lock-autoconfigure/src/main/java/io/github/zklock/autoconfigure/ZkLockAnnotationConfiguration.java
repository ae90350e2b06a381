package io.github.zklock.autoconfigure;

import io.github.zklock.LockRegistry;
import io.github.zklock.spring.CommitGuardPostProcessor;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.aop.DisabledAnnotationsPostProcessor;
import io.github.zklock.spring.aop.LeaderAdvisingPostProcessor;
import io.github.zklock.spring.aop.LockAdvisingPostProcessor;
import io.github.zklock.spring.leader.LeaderRoles;
import io.github.zklock.spring.leader.LeadershipBeans;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * The beans behind the annotations. Post-processors are made before the properties are
 * bound, so they read theirs themselves.
 */
@Configuration(proxyBeanMethods = false)
class ZkLockAnnotationConfiguration {

	@Configuration(proxyBeanMethods = false)
	@Conditional(PropertyCondition.Enabled.class)
	static class EnabledAnnotationConfiguration {

		@Bean
		@ConditionalOnMissingBean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockAdvisingPostProcessor zkLockAdvisingPostProcessor(Environment environment) {
			return new LockAdvisingPostProcessor(order(environment), byClass(environment));
		}

		@Bean
		@ConditionalOnMissingBean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LeaderAdvisingPostProcessor zkLockLeaderAdvisingPostProcessor(Environment environment) {
			return new LeaderAdvisingPostProcessor(order(environment) - 1, byClass(environment));
		}

		/**
		 * Return the order of locks, which leaves one for leadership in front.
		 */
		private static int order(Environment environment) {
			return Math.max(Ordered.HIGHEST_PRECEDENCE + 1,
					environment.getProperty("zk.lock.order", Integer.class, Ordered.LOWEST_PRECEDENCE - 100));
		}

		private static boolean byClass(Environment environment) {
			return environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
		}

		@Bean
		@ConditionalOnMissingBean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LeadershipBeans zkLockLeadershipBeans(Environment environment) {
			return new LeadershipBeans(environment);
		}

		@Bean(LeaderRoles.BEAN_NAME)
		@ConditionalOnMissingBean
		LeaderRoles zkLockLeaderRoles(ApplicationContext context, ObjectProvider<LockRegistry> registry,
				ZkLockProperties properties) {
			return new LeaderRoles(context, () -> single(registry),
					context.getEnvironment().getProperty("spring.application.name"), properties.leader().roles(),
					properties.leader().followReadiness());
		}

		private static LockRegistry single(ObjectProvider<LockRegistry> registry) {
			try {
				return registry.getObject();
			}
			catch (NoUniqueBeanDefinitionException ex) {
				throw LockConfigurationException.severalBeans(LockRegistry.class, ex.getBeanNamesFound(), ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Conditional(PropertyCondition.Disabled.class)
	static class DisabledAnnotationConfiguration {

		@Bean
		@ConditionalOnMissingBean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DisabledAnnotationsPostProcessor zkLockDisabledAnnotationsPostProcessor() {
			return new DisabledAnnotationsPostProcessor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Conditional(PropertyCondition.Enabled.class)
	@ConditionalOnClass(ConfigurableTransactionManager.class)
	static class TransactionConfiguration {

		@Bean
		@ConditionalOnMissingBean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static CommitGuardPostProcessor zkLockCheckOnCommit() {
			return new CommitGuardPostProcessor();
		}

	}

}
