package io.github.zklock.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Gives annotated beans their advice, in its place among the other advice of the bean,
 * and makes sure that no annotated bean is without.
 *
 * @param <A> the type of annotation
 */
abstract class AnnotationAdvisingPostProcessor<A extends Annotation>
		extends AbstractBeanFactoryAwareAdvisingPostProcessor implements SmartInitializingSingleton {

	private static final long serialVersionUID = 1L;

	private final transient AnnotationRules<A> rules;

	private final int advisorOrder;

	private final boolean byClass;

	private final transient Set<Checked> checked = ConcurrentHashMap.newKeySet();

	/**
	 * Create a post-processor.
	 * @param rules where the annotation may be
	 * @param advisorOrder the order of the advice
	 * @param byClass whether proxies extend the class of the bean
	 */
	AnnotationAdvisingPostProcessor(AnnotationRules<A> rules, int advisorOrder, boolean byClass) {
		this.rules = rules;
		this.advisorOrder = advisorOrder;
		this.byClass = byClass;
		// before those of @Retryable and @Async, whose advice goes in front of ours
		setOrder(Ordered.LOWEST_PRECEDENCE - 10);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		setProxyTargetClass(this.byClass);
		if (beanFactory instanceof ConfigurableListableBeanFactory configurable) {
			this.advisor = createAdvisor(configurable, this.advisorOrder);
		}
	}

	/**
	 * Create the advice with its pointcut.
	 */
	abstract Advisor createAdvisor(ConfigurableListableBeanFactory beanFactory, int order);

	/**
	 * Check all that the annotations of a class say.
	 */
	abstract void checkAnnotations(Class<?> annotatedClass);

	/**
	 * A bean has got the advice.
	 */
	void advised(Object bean, String beanName, Class<?> annotatedClass) {
	}

	/**
	 * Others want a bean before it is ready. Post-processors after this one may replace
	 * what they would get by a proxy that does not know of it.
	 */
	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		Class<?> annotatedClass = annotatedClass(bean);
		if (annotatedClass != null) {
			throw this.rules.circular(beanName, annotatedClass);
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> annotatedClass = annotatedClass(bean);
		if (annotatedClass == null) {
			return bean;
		}
		Object result = isAdvised(bean) ? bean : advise(bean, beanName, annotatedClass);
		Checked check = new Checked(annotatedClass, result.getClass());
		if (!this.checked.contains(check)) {
			this.rules.check(annotatedClass, result);
			checkAnnotations(annotatedClass);
			this.checked.add(check);
		}
		requireAdvice(result, beanName, annotatedClass);
		advised(result, beanName, annotatedClass);
		return result;
	}

	private @Nullable Class<?> annotatedClass(Object bean) {
		return (bean instanceof AopInfrastructureBean) ? null : this.rules.annotatedClass(bean);
	}

	private Object advise(Object bean, String beanName, Class<?> annotatedClass) {
		try {
			if (bean instanceof Advised && bean.getClass() == annotatedClass) {
				return wrap(bean);
			}
			if (this.advisor != null && bean instanceof Advised existing && !existing.isFrozen()) {
				existing.addAdvisor(position(existing), this.advisor);
				return bean;
			}
			return super.postProcessAfterInitialization(bean, beanName);
		}
		catch (AopConfigException ex) {
			throw Modifier.isFinal(annotatedClass.getModifiers()) ? this.rules.isFinal(annotatedClass, ex) : ex;
		}
	}

	/**
	 * Put a proxy around one whose target, if it has any, does not carry the annotation:
	 * the advice of that one is asked about the target only.
	 */
	private Object wrap(Object proxy) {
		ProxyFactory factory = new ProxyFactory();
		factory.copyFrom(this);
		factory.setTarget(proxy);
		evaluateProxyInterfaces(proxy.getClass(), factory);
		if (this.advisor != null) {
			factory.addAdvisor(this.advisor);
		}
		return factory.getProxy(getProxyClassLoader());
	}

	/**
	 * Return the place in front of the first advice that is to be further inside.
	 */
	private int position(Advised existing) {
		Advisor[] advisors = existing.getAdvisors();
		int index = 0;
		while (index < advisors.length && orderOf(advisors[index]) <= this.advisorOrder) {
			index++;
		}
		return index;
	}

	private static int orderOf(Advisor advisor) {
		return (advisor instanceof Ordered ordered) ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory != null) {
			new ExistingBeans(this.beanFactory, this.rules::concerns).forEach((name, bean) -> {
				Class<?> annotatedClass = annotatedClass(bean);
				if (annotatedClass != null) {
					requireAdvice(bean, name, annotatedClass);
				}
			});
		}
	}

	private void requireAdvice(Object bean, String beanName, Class<?> annotatedClass) {
		if (!isAdvised(bean)) {
			throw this.rules.unadvised(beanName, annotatedClass);
		}
	}

	private boolean isAdvised(Object bean) {
		Advisor advisor = this.advisor;
		Object object = bean;
		while (advisor != null && object instanceof Advised proxy) {
			if (proxy.indexOf(advisor) >= 0) {
				return true;
			}
			object = AopProxyUtils.getSingletonTarget(proxy);
		}
		return false;
	}

	/**
	 * A class whose annotations are good, for proxies of a class.
	 */
	private record Checked(Class<?> annotatedClass, Class<?> proxyClass) {

	}

}
