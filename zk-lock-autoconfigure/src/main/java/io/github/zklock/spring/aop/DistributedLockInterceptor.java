package io.github.zklock.spring.aop;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.zklock.spring.LockInterruptedException;
import io.github.zklock.spring.LockOptions;
import io.github.zklock.spring.LockTemplate;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods under their locks. What a lock does is the template's business.
 */
final class DistributedLockInterceptor implements MethodInterceptor {

	private final LockedMethods methods;

	private final Supplier<LockTemplate> template;

	DistributedLockInterceptor(LockedMethods methods, Supplier<LockTemplate> template) {
		this.methods = methods;
		this.template = template;
	}

	@Override
	@SuppressWarnings("unchecked")
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = this.methods.find(invocation.getMethod(), Invocations.targetClass(invocation));
		if (method == null) {
			throw new IllegalStateException(
					"%s has no @DistributedLock, but is advised".formatted(MethodNames.of(invocation.getMethod())));
		}
		List<LockOptions> locks = method.locksOf(invocation.getThis(), invocation.getArguments());
		return switch (method.style()) {
			case BLOCKING -> runBlocking(method, locks, invocation);
			case STAGE -> template().executeAsync(locks, () -> Invocations.proceedToStage(invocation));
			case ASYNC_STAGE -> template().executeHere(locks, () -> (CompletionStage<Object>) invocation.proceed());
			case PUBLISHER -> ReactiveInvocations.lockPublisher(template(), method, locks, invocation);
			case SUSPEND -> ReactiveInvocations.lockCoroutine(template(), method, locks, invocation);
		};
	}

	private LockTemplate template() {
		return this.template.get();
	}

	private @Nullable Object runBlocking(LockedMethod method, List<LockOptions> locks, MethodInvocation invocation)
			throws Throwable {
		boolean[] running = new boolean[1];
		try {
			return template().execute(locks, () -> {
				running[0] = true;
				return DeferredResults.proceed(invocation, method.method(), method.type(), LockedMethods.ANNOTATION);
			});
		}
		catch (LockInterruptedException ex) {
			if (!running[0] && method.mayThrowInterrupt() && ex.getCause() instanceof InterruptedException interrupt) {
				Thread.interrupted();
				throw interrupt;
			}
			throw ex;
		}
	}

}
