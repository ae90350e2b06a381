package io.github.zklock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.github.zklock.LockListener;

import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Finds the listeners of an application. They are made when they have something to hear,
 * so that they may need the registry.
 */
final class ListenerBeans {

	private ListenerBeans() {
	}

	static List<Supplier<LockListener>> of(ListableBeanFactory beanFactory) {
		return Arrays
			.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, LockListener.class, true, false))
			.filter((name) -> !ScopedProxyUtils.isScopedTarget(name))
			.<Supplier<LockListener>>map((name) -> () -> beanFactory.getBean(name, LockListener.class))
			.toList();
	}

}
