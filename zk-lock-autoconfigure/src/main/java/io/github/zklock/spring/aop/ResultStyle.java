package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.github.zklock.spring.LockConfigurationException;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * How a method gives its result, which decides how long a lock is held.
 */
enum ResultStyle {

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

	private static final String COROUTINE_LIBRARIES = "io.projectreactor:reactor-core and "
			+ "org.jetbrains.kotlinx:kotlinx-coroutines-reactor";

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			ResultStyle.class.getClassLoader());

	private static final boolean COROUTINES_PRESENT = REACTOR_PRESENT
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ResultStyle.class.getClassLoader());

	/**
	 * Return the style of a method.
	 * @param annotation the annotation in question, for messages
	 */
	static ResultStyle of(Method method, Class<?> targetClass, String annotation) {
		Class<?> type = resultType(method, targetClass);
		boolean async = AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
		if (KotlinDetector.isSuspendingFunction(method)) {
			requireCoroutines(method, annotation);
			rejectLaterResult(method, targetClass, annotation);
			return SUSPEND;
		}
		if (CompletionStage.class.isAssignableFrom(type)) {
			requireReplaceable(method, type, annotation);
			return async ? ASYNC_STAGE : STAGE;
		}
		if (Future.class.isAssignableFrom(type)) {
			if (!async) {
				throw new LockConfigurationException(
						"%s on %s returns a %s, and nobody can tell when that is complete.".formatted(annotation,
								MethodNames.of(method), type.getSimpleName()),
						"Return a CompletionStage, or add @Async.");
			}
			return BLOCKING;
		}
		if (!DeferredResults.isPublisher(type)) {
			return BLOCKING;
		}
		ReactiveAdapter adapter = REACTOR_PRESENT ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) : null;
		if (adapter == null) {
			throw new LockConfigurationException(
					"%s on %s returns a %s, and its lock cannot be held until that is complete.".formatted(annotation,
							MethodNames.of(method), type.getSimpleName()),
					"Add %s to the class path, or return a CompletionStage.".formatted(missingLibraries(type)));
		}
		if (!type.isAssignableFrom(adapter.getReactiveType())) {
			throw new LockConfigurationException(
					"%s on %s returns a %s, in place of which no other publisher can be returned.".formatted(annotation,
							MethodNames.of(method), type.getSimpleName()),
					"Return a %s.".formatted(adapter.getReactiveType().getSimpleName()));
		}
		return PUBLISHER;
	}

	/**
	 * Return the return type, resolved against the class of the bean, so that type
	 * arguments of a subclass count.
	 */
	static Class<?> resultType(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodReturnType(method, targetClass).toClass();
	}

	private static String missingLibraries(Class<?> type) {
		return type.getName().startsWith("kotlinx.") ? COROUTINE_LIBRARIES : "io.projectreactor:reactor-core";
	}

	/**
	 * Without these libraries Spring does not see coroutines as publishers.
	 */
	private static void requireCoroutines(Method method, String annotation) {
		if (!COROUTINES_PRESENT) {
			throw new LockConfigurationException(
					"%s on %s suspends, and nobody can tell when that has ended.".formatted(annotation,
							MethodNames.of(method)),
					"Add %s to the class path, or remove 'suspend' from the function.".formatted(COROUTINE_LIBRARIES));
		}
	}

	/**
	 * What a suspending function returns is complete for us, so it must not be something
	 * that goes on.
	 */
	private static void rejectLaterResult(Method method, Class<?> targetClass, String annotation) {
		Class<?> type = resultOfCoroutine(method, targetClass);
		if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)
				|| DeferredResults.isPublisher(type)) {
			throw new LockConfigurationException(
					("%s holds for %s, which suspends and returns a %s: the protection would end with the function, "
							+ "before the %s is used.")
						.formatted(annotation, MethodNames.of(method), type.getSimpleName(), type.getSimpleName()),
					"Remove 'suspend' from the function: the protection then lasts until the %s has ended."
						.formatted(type.getSimpleName()));
		}
	}

	/**
	 * Return the type of the result of a suspending function: its last parameter takes
	 * it.
	 */
	static Class<?> resultOfCoroutine(Method method, Class<?> targetClass) {
		return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, targetClass)
			.getGeneric()
			.toClass();
	}

	private static void requireReplaceable(Method method, Class<?> type, String annotation) {
		if (!type.isAssignableFrom(CompletableFuture.class)) {
			throw new LockConfigurationException(
					"%s on %s returns a %s, in place of which no other stage can be returned.".formatted(annotation,
							MethodNames.of(method), type.getSimpleName()),
					"Return a CompletionStage or a CompletableFuture.");
		}
	}

}
