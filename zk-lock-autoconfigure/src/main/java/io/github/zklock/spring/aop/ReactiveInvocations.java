package io.github.zklock.spring.aop;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.github.zklock.spring.LockOptions;
import io.github.zklock.spring.LockTemplate;
import io.github.zklock.spring.ReactiveLockTemplate;
import io.github.zklock.spring.leader.ReactiveLeadershipExecution;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Runs methods under their locks, once for each subscription to their results. Touches
 * classes that may be absent.
 */
final class ReactiveInvocations {

	private ReactiveInvocations() {
	}

	static Object lockPublisher(LockTemplate template, LockedMethod method, List<LockOptions> locks,
			MethodInvocation invocation) {
		ReactiveAdapter adapter = adapter(method.type());
		ReactiveLockTemplate reactive = new ReactiveLockTemplate(template);
		Supplier<Publisher<Object>> body = () -> adapter.toPublisher(proceedAnew(invocation));
		return adapter.fromPublisher(adapter.isMultiValue() ? reactive.flux(locks, body) : reactive.mono(locks, body));
	}

	/**
	 * What proceeds in a coroutine is a publisher, and what is returned is awaited.
	 */
	@SuppressWarnings("unchecked")
	static Object lockCoroutine(LockTemplate template, LockedMethod method, List<LockOptions> locks,
			MethodInvocation invocation) {
		return new ReactiveLockTemplate(template).mono(locks,
				() -> Flux.from((Publisher<Object>) Objects.requireNonNull(proceedAnew(invocation)))
					.doOnNext((value) -> DeferredResults.reject(value, method.method(), LockedMethods.ANNOTATION)));
	}

	static Object leadPublisher(LeaderMethod method, MethodInvocation invocation) {
		ReactiveAdapter adapter = adapter(method.type());
		Flux<Object> body = Flux.defer(() -> adapter.toPublisher(proceedAnew(invocation)));
		ReactiveLeadershipExecution execution = new ReactiveLeadershipExecution(method.execution());
		return adapter.fromPublisher(adapter.isMultiValue() ? execution.flux(body, notLeading(method))
				: execution.mono(body, notLeading(method)));
	}

	@SuppressWarnings("unchecked")
	static Object leadCoroutine(LeaderMethod method, MethodInvocation invocation) {
		Flux<Object> body = Flux.defer(() -> (Publisher<Object>) Objects.requireNonNull(proceedAnew(invocation)))
			.doOnNext((value) -> DeferredResults.reject(value, method.method(), LeaderMethods.ANNOTATION));
		return new ReactiveLeadershipExecution(method.execution()).mono(body, notLeading(method));
	}

	private static Mono<Object> notLeading(LeaderMethod method) {
		return Mono.fromSupplier(method::notLeading);
	}

	/**
	 * Return the adapter for the result of the method that runs: what was called may be a
	 * method of an interface that returns anything.
	 */
	private static ReactiveAdapter adapter(Class<?> type) {
		return Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(type));
	}

	/**
	 * Proceed as often as somebody subscribes.
	 */
	private static @Nullable Object proceedAnew(MethodInvocation invocation) {
		MethodInvocation fresh = (invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone()
				: invocation;
		try {
			return Invocations.proceed(fresh);
		}
		catch (Throwable ex) {
			throw Exceptions.propagate(ex);
		}
	}

}
