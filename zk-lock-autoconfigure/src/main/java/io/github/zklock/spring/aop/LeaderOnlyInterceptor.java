package io.github.zklock.spring.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods only in the process that leads.
 */
final class LeaderOnlyInterceptor implements MethodInterceptor {

	private final LeaderMethods methods;

	LeaderOnlyInterceptor(LeaderMethods methods) {
		this.methods = methods;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LeaderMethod method = this.methods.find(invocation.getMethod(), Invocations.targetClass(invocation));
		if (method == null) {
			return invocation.proceed();
		}
		return switch (method.style()) {
			case BLOCKING -> method.execution()
				.<@Nullable Object, Throwable>run(() -> DeferredResults.proceed(invocation, method.method(),
						method.type(), LeaderMethods.ANNOTATION), method::notLeading);
			case STAGE, ASYNC_STAGE ->
				method.execution().runAsync(() -> Invocations.proceedToStage(invocation), () -> notLeading(method));
			case PUBLISHER -> ReactiveInvocations.leadPublisher(method, invocation);
			case SUSPEND -> ReactiveInvocations.leadCoroutine(method, invocation);
		};
	}

	private static CompletionStage<@Nullable Object> notLeading(LeaderMethod method) {
		return CompletableFuture.completedFuture(method.notLeading());
	}

}
