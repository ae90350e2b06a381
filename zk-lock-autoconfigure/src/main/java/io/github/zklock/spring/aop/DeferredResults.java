package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Tells results that are there from those that are only on their way. A method that is
 * thought to have ended must not return one of the latter: what it protects would go on
 * without protection.
 */
final class DeferredResults {

	// by name, because they are publishers without the libraries that make use of them,
	// too
	private static final Set<String> PUBLISHERS = Set.of("org.reactivestreams.Publisher",
			"kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Deferred");

	private static final ClassValue<Kind> kinds = new ClassValue<>() {

		@Override
		protected Kind computeValue(Class<?> type) {
			// first stages: there are futures among them that do not tell whether they
			// are done
			if (CompletionStage.class.isAssignableFrom(type)) {
				return Kind.STAGE;
			}
			if (Future.class.isAssignableFrom(type)) {
				return Kind.FUTURE;
			}
			return isPublisher(type) ? Kind.PUBLISHER : Kind.VALUE;
		}

	};

	private enum Kind {

		VALUE, FUTURE, STAGE, PUBLISHER

	}

	private DeferredResults() {
	}

	/**
	 * Return whether a type is one of a publisher, whatever is on the class path.
	 */
	static boolean isPublisher(Class<?> type) {
		return !type.isPrimitive() && (Flow.Publisher.class.isAssignableFrom(type) || isNamedPublisher(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null);
	}

	private static boolean isNamedPublisher(@Nullable Class<?> type) {
		if (type == null) {
			return false;
		}
		if (PUBLISHERS.contains(type.getName()) || isNamedPublisher(type.getSuperclass())) {
			return true;
		}
		for (Class<?> parent : type.getInterfaces()) {
			if (isNamedPublisher(parent)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Proceed with a method that has ended when it returns.
	 * @param type the type of its result; a future is known to be one, and allowed
	 * @throws IllegalStateException if the result is not there yet
	 */
	static @Nullable Object proceed(MethodInvocation invocation, Method method, Class<?> type, String annotation)
			throws Throwable {
		Object result = invocation.proceed();
		if (result != null && !Future.class.isAssignableFrom(type)) {
			reject(result, method, annotation);
		}
		return result;
	}

	/**
	 * Throw if a result is not there yet. What can be cancelled is cancelled.
	 */
	static void reject(Object result, Method method, String annotation) {
		Kind kind = kinds.get(result.getClass());
		if (kind == Kind.VALUE || (kind == Kind.FUTURE && ((Future<?>) result).isDone())
				|| (kind == Kind.STAGE && isDone((CompletionStage<?>) result))) {
			return;
		}
		cancel(result);
		String type = result.getClass().getName();
		throw new IllegalStateException(("%s on %s ends when the method returns, but it has returned a %s, "
				+ "which is not complete: that would run without protection. Declare what the method returns, "
				+ "as Mono, Flux or CompletionStage, in the class itself if a generic type or a lambda hides it")
			.formatted(annotation, MethodNames.of(method), type));
	}

	private static void cancel(Object result) {
		try {
			if (result instanceof Future<?> future) {
				future.cancel(true);
			}
		}
		catch (UnsupportedOperationException ex) {
			// the caller is told anyway
		}
	}

	private static boolean isDone(CompletionStage<?> stage) {
		try {
			return stage.toCompletableFuture().isDone();
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

}
