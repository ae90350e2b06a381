package io.github.zklock.spring.aop;

import java.util.function.Supplier;

import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LockTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs the methods with {@link DistributedLock} of all beans under their locks.
 */
public class LockAdvisingPostProcessor extends AnnotationAdvisingPostProcessor<DistributedLock> {

	private static final long serialVersionUID = 1L;

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			LockAdvisingPostProcessor.class.getClassLoader());

	private final transient Runnable onUse;

	private transient @Nullable Advisor check;

	private transient @Nullable LockedMethods methods;

	/**
	 * Create a post-processor.
	 * @param order the order of the advice among the other advice of a bean
	 * @param byClass whether proxies extend the class of the bean
	 * @param onUse called when a bean has got the advice
	 */
	public LockAdvisingPostProcessor(int order, boolean byClass, Runnable onUse) {
		super(new AnnotationRules<>(DistributedLock.class), order, byClass);
		this.onUse = onUse;
	}

	@Override
	Advisor createAdvisor(ConfigurableListableBeanFactory beanFactory, int order) {
		LockedMethods methods = new LockedMethods(beanFactory);
		this.methods = methods;
		Supplier<LockTemplate> template = SingletonSupplier.of(() -> beanFactory.getBean(LockTemplate.class));
		if (REACTOR) {
			this.check = new DefaultPointcutAdvisor(new MethodPointcut(methods::isLockedPublisher),
					new ReactiveCheckInterceptor());
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
	void advised(Object bean, Class<?> targetClass) {
		Advisor check = this.check;
		if (check != null && bean instanceof Advised proxy && !proxy.isFrozen()
				&& AopUtils.canApply(check, targetClass)) {
			proxy.addAdvisor(check);
		}
		this.onUse.run();
	}

}
