package io.github.zklock.spring.aop;

import java.util.List;

import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Does not let an application start that uses the annotations while they have no effect.
 */
public class DisabledAnnotationsPostProcessor
		implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

	private final List<AnnotationRules<?>> rules = List.of(new AnnotationRules<>(DistributedLock.class),
			new AnnotationRules<>(LeaderOnly.class));

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		if (beanFactory instanceof ConfigurableListableBeanFactory configurable) {
			this.beanFactory = configurable;
		}
	}

	/**
	 * Check a bean.
	 * @throws LockConfigurationException if it uses one of the annotations
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		requireNone(beanName, bean);
		return bean;
	}

	/**
	 * Check the beans that were made before this post-processor.
	 * @throws LockConfigurationException if one uses one of the annotations
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory != null) {
			new ExistingBeans(this.beanFactory, (type) -> this.rules.stream().anyMatch((rule) -> rule.concerns(type)))
				.forEach(this::requireNone);
		}
	}

	private void requireNone(String beanName, Object bean) {
		for (AnnotationRules<?> rule : this.rules) {
			Class<?> annotatedClass = (bean instanceof AopInfrastructureBean) ? null : rule.annotatedClass(bean);
			if (annotatedClass != null) {
				throw rule.forbidden(beanName, annotatedClass);
			}
		}
	}

}
