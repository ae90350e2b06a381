package io.github.zklock.spring.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.zklock.LockTimeoutException;
import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called, without the lock, instead of one whose lock others hold.
 */
final class FallbackMethod {

	private final Method method;

	private final boolean takesException;

	private FallbackMethod(Method method, boolean takesException) {
		this.method = method;
		this.takesException = takesException;
	}

	/**
	 * Find the method.
	 * @param name its name
	 * @param guarded the method that it stands in for
	 */
	static FallbackMethod find(String name, Method guarded, Class<?> targetClass) {
		Method method = ReflectionUtils.findMethod(targetClass, name, withException(guarded));
		boolean takesException = method != null;
		if (method == null) {
			method = ReflectionUtils.findMethod(targetClass, name, guarded.getParameterTypes());
		}
		if (method == null || method.getDeclaringClass() == Object.class) {
			throw new LockConfigurationException(
					"The fallback '%s' of %s does not exist in %s.".formatted(name, MethodNames.of(guarded),
							targetClass.getName()),
					"Write a method '%s' with the same parameters, optionally followed by a LockTimeoutException."
						.formatted(name));
		}
		if (method.equals(guarded)) {
			throw new LockConfigurationException("%s is its own fallback.".formatted(MethodNames.of(guarded)),
					"Name another method.");
		}
		requireAssignable(method, guarded, targetClass);
		requireDeclared(method, guarded);
		ReflectionUtils.makeAccessible(method);
		return new FallbackMethod(method, takesException);
	}

	/**
	 * Return whether a method has the parameters that are needed to stand in for another.
	 */
	static boolean hasParametersFor(Method method, Method guarded) {
		Class<?>[] types = method.getParameterTypes();
		return Arrays.equals(types, guarded.getParameterTypes()) || Arrays.equals(types, withException(guarded));
	}

	private static Class<?>[] withException(Method guarded) {
		List<Class<?>> types = new ArrayList<>(List.of(guarded.getParameterTypes()));
		types.add(placeOfException(guarded, types.size()), LockTimeoutException.class);
		return types.toArray(Class<?>[]::new);
	}

	/**
	 * Return where the exception stands among the parameters: the last one, but for what
	 * Kotlin adds to those of a suspending function.
	 */
	private static int placeOfException(Method method, int parameters) {
		return KotlinDetector.isSuspendingFunction(method) ? parameters - 1 : parameters;
	}

	private static void requireAssignable(Method method, Method guarded, Class<?> targetClass) {
		ResolvableType wanted = ResolvableType.forMethodReturnType(guarded, targetClass);
		ResolvableType given = ResolvableType.forMethodReturnType(method, targetClass);
		if (wanted.toClass() != void.class && !wanted.isAssignableFrom(given)) {
			throw new LockConfigurationException("The fallback %s returns %s, but %s returns %s."
				.formatted(MethodNames.of(method), given, MethodNames.of(guarded), wanted),
					"Let the fallback return the same type.");
		}
	}

	private static void requireDeclared(Method method, Method guarded) {
		for (Class<?> type : method.getExceptionTypes()) {
			boolean unchecked = RuntimeException.class.isAssignableFrom(type) || Error.class.isAssignableFrom(type);
			if (!unchecked
					&& Arrays.stream(guarded.getExceptionTypes()).noneMatch((known) -> known.isAssignableFrom(type))) {
				throw new LockConfigurationException(
						"The fallback %s throws %s, which %s does not declare.".formatted(MethodNames.of(method),
								type.getName(), MethodNames.of(guarded)),
						"Declare the exception there too, or do not throw it.");
			}
		}
	}

	@SuppressWarnings("NullAway") // arguments may be null
	@Nullable Object call(@Nullable Object target, @Nullable Object[] arguments, LockTimeoutException contention)
			throws Throwable {
		@Nullable Object[] given = arguments;
		if (this.takesException) {
			List<@Nullable Object> extended = new ArrayList<>(Arrays.asList(arguments));
			extended.add(placeOfException(this.method, arguments.length), contention);
			given = extended.toArray();
		}
		if (KotlinDetector.isSuspendingFunction(this.method) && target != null) {
			return CoroutinesUtils.invokeSuspendingFunction(this.method, target, given);
		}
		try {
			return this.method.invoke(target, given);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
