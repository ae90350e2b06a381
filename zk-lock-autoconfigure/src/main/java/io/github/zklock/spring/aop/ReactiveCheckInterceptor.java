package io.github.zklock.spring.aop;

import io.github.zklock.spring.ReactiveLockTemplate;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Lets a publisher fail if its lock has been lost, before a transaction around it can
 * commit: further inside than transactions. Touches classes that may be absent.
 */
final class ReactiveCheckInterceptor implements MethodInterceptor {

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object result = invocation.proceed();
		if (result == null) {
			return null;
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(result.getClass());
		if (adapter == null) {
			return result;
		}
		Publisher<Object> publisher = adapter.toPublisher(result);
		return adapter.fromPublisher(ReactiveLockTemplate.checked(publisher));
	}

}
