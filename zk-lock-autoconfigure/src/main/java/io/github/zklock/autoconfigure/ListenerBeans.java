package io.github.zklock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.github.zklock.LockListener;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/**
 * Finds the listeners of an application: the beans that would be injected where somebody
 * wants all of that type. They are looked up when they have something to hear, so that
 * they may need the registry.
 */
final class ListenerBeans {

	private static final LockListener NONE = new LockListener() {
	};

	private ListenerBeans() {
	}

	static List<Supplier<LockListener>> of(ConfigurableListableBeanFactory beanFactory) {
		return Arrays
			.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, LockListener.class, true, false))
			.filter((name) -> isCandidate(beanFactory, name))
			.<Supplier<LockListener>>map((name) -> () -> listener(beanFactory.getBean(name)))
			.toList();
	}

	private static boolean isCandidate(ConfigurableListableBeanFactory beanFactory, String name) {
		if (!beanFactory.containsBeanDefinition(name)) {
			return true;
		}
		BeanDefinition definition = beanFactory.getMergedBeanDefinition(name);
		return definition.isAutowireCandidate()
				&& (!(definition instanceof AbstractBeanDefinition own) || own.isDefaultCandidate());
	}

	/**
	 * Return a listener. A method that makes a bean may return null.
	 */
	private static LockListener listener(Object bean) {
		return (bean instanceof LockListener listener) ? listener : NONE;
	}

}
