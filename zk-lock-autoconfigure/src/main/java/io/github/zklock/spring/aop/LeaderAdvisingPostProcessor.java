package io.github.zklock.spring.aop;

import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.leader.LeaderRoles;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs the methods with {@link LeaderOnly} of all beans only in the process that leads.
 */
public class LeaderAdvisingPostProcessor extends AnnotationAdvisingPostProcessor<LeaderOnly> {

	private static final long serialVersionUID = 1L;

	private transient @Nullable LeaderMethods methods;

	/**
	 * Create a post-processor.
	 * @param order the order of the advice among the other advice of a bean
	 * @param byClass whether proxies extend the class of the bean
	 */
	public LeaderAdvisingPostProcessor(int order, boolean byClass) {
		super(new AnnotationRules<>(LeaderOnly.class), order, byClass);
	}

	@Override
	Advisor createAdvisor(ConfigurableListableBeanFactory beanFactory, int order) {
		LeaderMethods methods = new LeaderMethods(beanFactory,
				SingletonSupplier.of(() -> beanFactory.getBean(LeaderRoles.class)));
		this.methods = methods;
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(new MethodPointcut(methods::isLeaderOnly),
				new LeaderOnlyInterceptor(methods));
		advisor.setOrder(order);
		return advisor;
	}

	@Override
	void checkAnnotations(Class<?> annotatedClass) {
		LeaderMethods methods = this.methods;
		if (methods != null) {
			AnnotationRules.methods(annotatedClass).forEach((method) -> methods.find(method, annotatedClass));
		}
	}

}
