package io.github.zklock.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import io.github.zklock.LockLostException;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.transaction.ReactiveTransaction;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps a reactive transaction manager from committing what was done under a lock that
 * has been lost since. A listener cannot do that: it does not see the context of the
 * subscription, which alone tells of the locks. Touches classes that may be absent.
 */
final class ReactiveCommitGuard implements MethodInterceptor {

	private static final NameMatchMethodPointcutAdvisor ADVISOR = advisor();

	private static NameMatchMethodPointcutAdvisor advisor() {
		NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(new ReactiveCommitGuard());
		advisor.setMappedNames("commit", "doCommit");
		return advisor;
	}

	/**
	 * Return whether a manager is checked.
	 */
	static boolean isAround(Object manager) {
		return manager instanceof Advised proxy && proxy.indexOf(ADVISOR) >= 0;
	}

	/**
	 * Return whether a manager can be checked without taking its class away, by which
	 * others may want it.
	 */
	static boolean isPossible(Object manager) {
		return !(manager instanceof AbstractReactiveTransactionManager) || manager instanceof Advised
				|| !(Modifier.isFinal(manager.getClass().getModifiers()) || hasFinalCommit(manager.getClass()));
	}

	private static boolean hasFinalCommit(Class<?> type) {
		Method commit = ReflectionUtils.findMethod(type, "doCommit", TransactionSynchronizationManager.class,
				GenericReactiveTransaction.class);
		return commit == null || Modifier.isFinal(commit.getModifiers());
	}

	/**
	 * Return a manager that is checked, if that {@link #isPossible(Object) is possible}.
	 * A manager of the usual kind keeps its class.
	 */
	static Object around(Object manager) {
		if (manager instanceof Advised proxy && !proxy.isFrozen()) {
			proxy.addAdvisor(ADVISOR);
			return manager;
		}
		ProxyFactory factory = new ProxyFactory(manager);
		factory.addAdvisor(ADVISOR);
		if (!(manager instanceof AbstractReactiveTransactionManager) || manager instanceof Advised) {
			return factory.getProxy(manager.getClass().getClassLoader());
		}
		factory.setProxyTargetClass(true);
		Object proxy = factory.getProxy(manager.getClass().getClassLoader());
		copyState(manager, proxy);
		return proxy;
	}

	/**
	 * Final methods run on the proxy, with the fields that they need. They call the
	 * others through it.
	 */
	private static void copyState(Object manager, Object proxy) {
		ReflectionUtils.doWithFields(manager.getClass(), (field) -> {
			ReflectionUtils.makeAccessible(field);
			field.set(proxy, field.get(manager));
		}, (field) -> !Modifier.isStatic(field.getModifiers()));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		@Nullable Object[] arguments = invocation.getArguments();
		if (arguments.length == 2 && arguments[0] instanceof TransactionSynchronizationManager synchronizations) {
			return Mono.deferContextual((context) -> {
				ReactiveLockTemplate.requireAll(context);
				ReactiveTransactionBinding.requireAll(synchronizations);
				return proceed(invocation);
			});
		}
		if (arguments.length == 1 && arguments[0] instanceof ReactiveTransaction transaction
				&& invocation.getThis() instanceof ReactiveTransactionManager manager) {
			return Mono.deferContextual((context) -> {
				LockLostException loss = loss(context);
				return (loss != null) ? rollBack(manager, transaction, loss) : proceed(invocation);
			});
		}
		return invocation.proceed();
	}

	private static @Nullable LockLostException loss(ContextView context) {
		try {
			ReactiveLockTemplate.requireAll(context);
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

	private static Mono<Object> rollBack(ReactiveTransactionManager manager, ReactiveTransaction transaction,
			LockLostException loss) {
		return manager.rollback(transaction).onErrorResume((problem) -> {
			loss.addSuppressed(problem);
			return Mono.empty();
		}).then(Mono.error(loss));
	}

	@SuppressWarnings("unchecked")
	private static Mono<Object> proceed(MethodInvocation invocation) {
		try {
			Mono<Object> committing = (Mono<Object>) invocation.proceed();
			return (committing != null) ? committing : Mono.empty();
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

}
