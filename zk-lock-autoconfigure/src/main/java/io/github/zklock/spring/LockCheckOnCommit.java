package io.github.zklock.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Keeps every transaction manager from committing what was done under a lock that has
 * been lost since.
 */
public class LockCheckOnCommit implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(LockCheckOnCommit.class);

	private static final TransactionExecutionListener LISTENER = new TransactionExecutionListener() {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			HeldLock.requireAll(HeldLock.current());
		}

	};

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		if (beanFactory instanceof ConfigurableListableBeanFactory listable) {
			this.beanFactory = listable;
		}
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		addTo(bean);
		if (bean instanceof TransactionManager && !(targetOf(bean) instanceof ConfigurableTransactionManager)) {
			logger.warn("Transaction manager '{}' ({}) takes no listeners: it commits work whose lock was lost",
					beanName, bean.getClass().getName());
		}
		return bean;
	}

	/**
	 * Those that were made before this post-processor, or got other listeners since.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory != null) {
			for (String name : this.beanFactory.getSingletonNames()) {
				Object bean = this.beanFactory.getSingleton(name);
				if (bean != null) {
					addTo(bean);
				}
			}
		}
	}

	private static void addTo(Object bean) {
		if (targetOf(bean) instanceof ConfigurableTransactionManager manager) {
			Collection<TransactionExecutionListener> present = manager.getTransactionExecutionListeners();
			if (!present.contains(LISTENER)) {
				// not addListener: what is present may be immutable
				List<TransactionExecutionListener> listeners = new ArrayList<>(present);
				listeners.add(LISTENER);
				manager.setTransactionExecutionListeners(listeners);
			}
		}
	}

	private static Object targetOf(Object bean) {
		Object target = AopProxyUtils.getSingletonTarget(bean);
		return (target != null) ? targetOf(target) : bean;
	}

}
