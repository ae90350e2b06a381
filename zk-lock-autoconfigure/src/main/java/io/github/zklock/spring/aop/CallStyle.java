package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.github.zklock.spring.LockConfigurationException;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * How a method gives its result, which decides how long a lock is held.
 */
enum CallStyle {

	/**
	 * When it returns.
	 */
	BLOCKING,

	/**
	 * By a stage.
	 */
	STAGE,

	/**
	 * By a stage, on a thread that may wait.
	 */
	ASYNC_STAGE,

	/**
	 * By a publisher, once for each subscription.
	 */
	PUBLISHER,

	/**
	 * As a Kotlin coroutine, which the interceptor sees as a publisher.
	 */
	SUSPEND;

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			CallStyle.class.getClassLoader());

	/**
	 * Return the style of a method.
	 * @param annotation the annotation in question, for messages
	 */
	static CallStyle of(Method method, Class<?> targetClass, String annotation) {
		Class<?> type = method.getReturnType();
		boolean async = AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
		if (KotlinDetector.isSuspendingFunction(method)) {
			rejectFlow(method, annotation);
			return SUSPEND;
		}
		if (CompletionStage.class.isAssignableFrom(type)) {
			requireReplaceable(method, annotation);
			return async ? ASYNC_STAGE : STAGE;
		}
		if (Future.class.isAssignableFrom(type)) {
			if (!async) {
				throw new LockConfigurationException(
						"%s on %s returns a %s, and nobody can tell when that is complete.".formatted(annotation,
								Descriptions.of(method), type.getSimpleName()),
						"Return a CompletionStage, or add @Async.");
			}
			return BLOCKING;
		}
		if (type.isPrimitive() || !isPublisher(type)) {
			return BLOCKING;
		}
		if (!REACTOR_PRESENT || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) == null) {
			throw new LockConfigurationException(
					"%s on %s returns a %s, and its lock cannot be held until that is complete.".formatted(annotation,
							Descriptions.of(method), type.getSimpleName()),
					"Add io.projectreactor:reactor-core to the class path, or return a CompletionStage.");
		}
		return PUBLISHER;
	}

	/**
	 * Return whether a type is one of a publisher, whatever is on the class path.
	 */
	private static boolean isPublisher(Class<?> type) {
		return Flow.Publisher.class.isAssignableFrom(type)
				|| ClassUtils.getAllInterfacesForClassAsSet(type)
					.stream()
					.anyMatch((candidate) -> candidate.getName().equals("org.reactivestreams.Publisher"))
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	private static void rejectFlow(Method method, String annotation) {
		if (resultOfCoroutine(method).getName().equals("kotlinx.coroutines.flow.Flow")) {
			throw new LockConfigurationException(
					"%s on %s, which suspends and returns a Flow, cannot tell which of the two to protect.".formatted(
							annotation, Descriptions.of(method)),
					"Return the Flow from a function without 'suspend'.");
		}
	}

	/**
	 * Return the type of the result of a suspending function: its last parameter takes
	 * it.
	 */
	static Class<?> resultOfCoroutine(Method method) {
		return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1).getGeneric().toClass();
	}

	private static void requireReplaceable(Method method, String annotation) {
		if (!method.getReturnType().isAssignableFrom(CompletableFuture.class)) {
			throw new LockConfigurationException(
					"%s on %s returns a %s, in place of which no other stage can be returned.".formatted(annotation,
							Descriptions.of(method), method.getReturnType().getSimpleName()),
					"Return a CompletionStage or a CompletableFuture.");
		}
	}

}
