package io.github.zklock.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

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
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Keeps every transaction manager from committing what was done under a lock that has
 * been lost since.
 */
public class CommitGuardPostProcessor implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(CommitGuardPostProcessor.class);

	private static final TransactionExecutionListener LISTENER = new TransactionExecutionListener() {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			LockStack.requireAll(LockStack.current());
			TransactionBinding.requireAll();
		}

	};

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			CommitGuardPostProcessor.class.getClassLoader());

	private final Set<String> warnedOf = ConcurrentHashMap.newKeySet();

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
		if (isReactive(bean)) {
			if (ReactiveManagers.isCheckable(bean)) {
				return ReactiveManagers.check(bean);
			}
			warnOfFinal(bean, beanName);
			return bean;
		}
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
					if (isReactive(bean) && !ReactiveManagers.isChecked(bean)) {
						warnOfUnchecked(bean, name);
					}
				}
			}
		}
	}

	private void warnOfUnchecked(Object manager, String beanName) {
		if (!ReactiveManagers.isCheckable(manager)) {
			warnOfFinal(manager, beanName);
			return;
		}
		logger.warn("Transaction manager '{}' ({}) was made too early, by a bean that post-processors need: "
				+ "it commits work whose lock was lost", beanName, manager.getClass().getName());
	}

	/**
	 * Once for each bean.
	 */
	private void warnOfFinal(Object manager, String beanName) {
		if (this.warnedOf.add(beanName)) {
			logger.warn(
					"Transaction manager '{}' ({}) is final, or its doCommit is: it commits work whose lock was "
							+ "lost, unless the transaction is that of the method with @DistributedLock itself",
					beanName, manager.getClass().getName());
		}
	}

	private static boolean isReactive(Object bean) {
		return REACTOR && bean instanceof ReactiveTransactionManager;
	}

	private static void addTo(Object bean) {
		Object target = (isReactive(bean) && ReactiveManagers.isChecked(bean)) ? bean : targetOf(bean);
		if (target instanceof ConfigurableTransactionManager manager) {
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

	/**
	 * Touches classes that may be absent.
	 */
	private static final class ReactiveManagers {

		static boolean isChecked(Object manager) {
			return ReactiveCommitGuard.isAround(manager);
		}

		static boolean isCheckable(Object manager) {
			return ReactiveCommitGuard.isPossible(manager);
		}

		static Object check(Object manager) {
			return isChecked(manager) ? manager : ReactiveCommitGuard.around(manager);
		}

	}

}
