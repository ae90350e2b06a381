package io.github.zklock.spring.aop;

import java.util.function.BiConsumer;
import java.util.function.Predicate;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The beans that exist, also those that were made or registered before any post-processor
 * could see them.
 */
final class ExistingBeans {

	private final ConfigurableListableBeanFactory beanFactory;

	private final Predicate<Class<?>> relevant;

	/**
	 * Look at the beans of a factory.
	 * @param relevant which products of factory beans to make, if they are not there yet
	 */
	ExistingBeans(ConfigurableListableBeanFactory beanFactory, Predicate<Class<?>> relevant) {
		this.beanFactory = beanFactory;
		this.relevant = relevant;
	}

	void forEach(BiConsumer<String, Object> action) {
		for (String name : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(name);
			if (bean != null) {
				action.accept(name, bean);
			}
			if (bean instanceof FactoryBean<?> factory && isRelevant(factory)) {
				action.accept(name, this.beanFactory.getBean(name));
			}
		}
	}

	private boolean isRelevant(FactoryBean<?> factory) {
		Class<?> type = factory.getObjectType();
		return type != null && factory.isSingleton() && this.relevant.test(type);
	}

}
