package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.function.BiPredicate;

import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Selects methods by what is known of them.
 */
final class MethodPointcut extends StaticMethodMatcherPointcut {

	private final BiPredicate<Method, Class<?>> predicate;

	MethodPointcut(BiPredicate<Method, Class<?>> predicate) {
		this.predicate = predicate;
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.predicate.test(method, targetClass);
	}

}
