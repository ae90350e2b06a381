package io.github.zklock.spring.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * What the interceptors do with invocations.
 */
final class Invocations {

	private Invocations() {
	}

	/**
	 * Return the class that pointcuts have been asked about, and no other.
	 */
	static Class<?> targetClass(MethodInvocation invocation) {
		Object target = invocation.getThis();
		return (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
	}

	/**
	 * Proceed on whichever thread: aspects further inside ask that thread what is being
	 * called.
	 */
	static @Nullable Object proceed(MethodInvocation invocation) throws Throwable {
		return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
	}

	/**
	 * Proceed on whichever thread; what the method throws fails the stage.
	 */
	@SuppressWarnings("unchecked")
	static CompletionStage<@Nullable Object> proceedToStage(MethodInvocation invocation) {
		try {
			Object result = proceed(invocation);
			return (result != null) ? (CompletionStage<@Nullable Object>) result
					: CompletableFuture.completedFuture(null);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
