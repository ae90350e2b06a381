package io.github.zklock.spring.leader;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.zklock.leader.Leadership;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Defines a {@link Leadership} bean for the default role, and one for each role of
 * {@code zk.lock.leader.roles}, with the role as the qualifier. Only if one is made does
 * that mean that its role is used.
 *
 * <p>
 * That of the default role is injected where no role is named. If the application has
 * {@link Leadership} beans of its own, these are.
 */
public class LeadershipBeans implements BeanDefinitionRegistryPostProcessor {

	/**
	 * What the names of the beans start with. The role follows.
	 */
	public static final String BEAN_NAME_PREFIX = "zkLockLeadership-";

	private final Environment environment;

	/**
	 * Create the definitions.
	 * @param environment has the properties
	 */
	public LeadershipBeans(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		for (String role : roles()) {
			String beanName = BEAN_NAME_PREFIX + role;
			if (!registry.containsBeanDefinition(beanName)) {
				registry.registerBeanDefinition(beanName, define(role));
			}
		}
	}

	private Set<String> roles() {
		Set<String> roles = new LinkedHashSet<>();
		String applicationName = applicationName();
		if (StringUtils.hasText(applicationName)) {
			roles.add(applicationName);
		}
		Binder.get(this.environment)
			.bind("zk.lock.leader.roles", Bindable.listOf(String.class))
			.orElse(List.of())
			.stream()
			.filter(StringUtils::hasText)
			.forEach(roles::add);
		return roles;
	}

	private String applicationName() {
		return this.environment.getProperty("spring.application.name", "");
	}

	private static RootBeanDefinition define(String role) {
		RootBeanDefinition definition = new RootBeanDefinition();
		definition.setFactoryBeanName(LeaderRoles.BEAN_NAME);
		definition.setFactoryMethodName("use");
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, role);
		definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, role));
		definition.setLazyInit(true);
		definition.setFallback(true);
		return definition;
	}

	/**
	 * The default role's bean is the primary one, unless the application has beans of its
	 * own, and all come from whichever {@link LeaderRoles} there are. Only now these are
	 * known.
	 */
	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		String source = source(beanFactory);
		for (String role : roles()) {
			String ours = BEAN_NAME_PREFIX + role;
			if (beanFactory.containsBeanDefinition(ours)) {
				BeanDefinition definition = beanFactory.getBeanDefinition(ours);
				if (LeaderRoles.BEAN_NAME.equals(definition.getFactoryBeanName())) {
					definition.setFactoryBeanName(source);
				}
			}
		}
		String beanName = BEAN_NAME_PREFIX + applicationName();
		if (beanFactory.containsBeanDefinition(beanName)) {
			BeanDefinition definition = beanFactory.getBeanDefinition(beanName);
			definition.setPrimary(!hasOtherBeans(beanFactory));
		}
	}

	private static String source(ConfigurableListableBeanFactory beanFactory) {
		String[] candidates = beanFactory.getBeanNamesForType(LeaderRoles.class, true, false);
		if (candidates.length == 1) {
			return candidates[0];
		}
		for (String candidate : candidates) {
			if (beanFactory.containsBeanDefinition(candidate) && beanFactory.getBeanDefinition(candidate).isPrimary()) {
				return candidate;
			}
		}
		return LeaderRoles.BEAN_NAME;
	}

	private static boolean hasOtherBeans(ConfigurableListableBeanFactory beanFactory) {
		for (String beanName : beanFactory.getBeanNamesForType(Leadership.class, true, false)) {
			if (!beanName.startsWith(BEAN_NAME_PREFIX)) {
				return true;
			}
		}
		return false;
	}

}
