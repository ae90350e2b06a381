package io.github.zklock.spring.aop;

import java.lang.reflect.Method;

import io.github.zklock.spring.ReactiveLockTemplate;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * Lets a publisher fail if its lock has been lost, before a transaction around it can
 * commit: further inside than transactions. Touches classes that may be absent.
 */
final class ReactiveCommitGuardInterceptor implements MethodInterceptor {

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		if (result == null) {
			return null;
		}
		ReactiveAdapter adapter = adapter(invocation, result);
		if (adapter == null) {
			return result;
		}
		Publisher<Object> publisher = adapter.toPublisher(result);
		return adapter.fromPublisher(ReactiveLockTemplate.checked(publisher));
	}

	/**
	 * Return the adapter for the type that callers expect: what is returned may be of a
	 * type that others than its own adapter take, too. A coroutine does not tell.
	 */
	private static @Nullable ReactiveAdapter adapter(MethodInvocation invocation, Object result) {
		Class<?> targetClass = ClassUtils.getUserClass(Invocations.targetClass(invocation));
		Method running = AnnotatedMethods.runningMethod(invocation.getMethod(), targetClass);
		ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();
		ReactiveAdapter declared = adapters.getAdapter(ResultStyle.resultType(running, targetClass));
		return (declared != null) ? declared : adapters.getAdapter(result.getClass());
	}

}
