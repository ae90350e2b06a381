package io.github.zklock.spring.aop;

import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Runs the methods with {@link DistributedLock} of all beans under their locks.
 */
public class LockAdvisingPostProcessor extends AnnotationAdvisingPostProcessor<DistributedLock> {

	private static final long serialVersionUID = 1L;

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			LockAdvisingPostProcessor.class.getClassLoader());

	private transient @Nullable Advisor check;

	private transient @Nullable LockedMethods methods;

	private transient @Nullable TemplateLookup template;

	private transient volatile boolean used;

	private transient volatile boolean started;

	/**
	 * Create a post-processor.
	 * @param order the order of the advice among the other advice of a bean
	 * @param byClass whether proxies extend the class of the bean
	 */
	public LockAdvisingPostProcessor(int order, boolean byClass) {
		super(new AnnotationRules<>(DistributedLock.class), order, byClass);
	}

	/**
	 * Return whether the application needs locks.
	 * @return whether a bean has got the advice
	 */
	public boolean isUsed() {
		return this.used;
	}

	@Override
	Advisor createAdvisor(ConfigurableListableBeanFactory beanFactory, int order) {
		LockedMethods methods = new LockedMethods(beanFactory);
		this.methods = methods;
		TemplateLookup template = new TemplateLookup(beanFactory);
		this.template = template;
		if (REACTOR) {
			this.check = new DefaultPointcutAdvisor(new MethodPointcut(methods::isLockedPublisher),
					new ReactiveCommitGuardInterceptor());
		}
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(new MethodPointcut(methods::isLocked),
				new DistributedLockInterceptor(methods, template));
		advisor.setOrder(order);
		return advisor;
	}

	@Override
	void checkAnnotations(Class<?> annotatedClass) {
		LockedMethods methods = this.methods;
		if (methods != null) {
			AnnotationRules.methods(annotatedClass).forEach((method) -> methods.find(method, annotatedClass));
		}
	}

	@Override
	void advised(Object bean, String beanName, Class<?> annotatedClass) {
		Advisor check = this.check;
		if (check != null && bean instanceof Advised proxy && AopUtils.canApply(check, annotatedClass)
				&& proxy.indexOf(check) < 0) {
			rejectFrozen(proxy, beanName, annotatedClass);
			proxy.addAdvisor(check);
		}
		this.used = true;
		requireTemplate();
	}

	/**
	 * The check would be outside of what a proxy does that takes no more advice.
	 */
	private static void rejectFrozen(Advised proxy, String beanName, Class<?> annotatedClass) {
		Object object = proxy;
		while (object instanceof Advised next) {
			if (next.isFrozen()) {
				throw new LockConfigurationException(
						("@DistributedLock holds for a method of %s that returns a publisher, but the proxy of the bean '%s' is "
								+ "frozen: a transaction inside it would commit although the lock was lost.")
							.formatted(annotatedClass.getName(), beanName),
						"Do not freeze the proxy ('frozen' of ProxyFactoryBean, ProxyFactory or the auto-proxy creator), or use a ReactiveLockTemplate.");
			}
			object = AopProxyUtils.getSingletonTarget(next);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		super.afterSingletonsInstantiated();
		this.started = true;
		requireTemplate();
	}

	/**
	 * A template that cannot be had is told as soon as it is looked for without making
	 * beans too early, and not by the first call.
	 */
	private void requireTemplate() {
		TemplateLookup lookup = this.template;
		if (this.started && this.used && lookup != null) {
			lookup.require();
		}
	}

}
