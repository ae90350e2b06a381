package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * What a method returns whose body does not run.
 */
final class EmptyResult {

	private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.of(Optional.class, Optional::empty,
			OptionalInt.class, OptionalInt::empty, OptionalLong.class, OptionalLong::empty, OptionalDouble.class,
			OptionalDouble::empty);

	private EmptyResult() {
	}

	/**
	 * Return the result for a method; for a stage, what it completes with.
	 */
	static @Nullable Object of(Method method, Class<?> targetClass, ResultStyle style) {
		ResolvableType type = ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> result = (style == ResultStyle.SUSPEND) ? ResultStyle.resultOfCoroutine(method, targetClass)
				: type.toClass();
		if (CompletionStage.class.isAssignableFrom(result) || Future.class.isAssignableFrom(result)) {
			result = type.as(CompletionStage.class.isAssignableFrom(result) ? CompletionStage.class : Future.class)
				.getGeneric()
				.toClass();
		}
		Supplier<Object> supplier = EMPTY.get(result);
		Object empty = (supplier != null) ? supplier.get() : null;
		boolean future = style == ResultStyle.BLOCKING && Future.class.isAssignableFrom(type.toClass())
				&& type.toClass().isAssignableFrom(CompletableFuture.class);
		return future ? CompletableFuture.completedFuture(empty) : empty;
	}

	/**
	 * Return whether callers of a method may be given the empty result.
	 */
	static boolean isPossible(Method method, Class<?> targetClass, ResultStyle style) {
		Class<?> type = ResultStyle.resultType(method, targetClass);
		if (style == ResultStyle.PUBLISHER) {
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return adapter == null || adapter.supportsEmpty();
		}
		if (type == void.class || EMPTY.containsKey(type) || style == ResultStyle.STAGE
				|| style == ResultStyle.ASYNC_STAGE || Future.class.isAssignableFrom(type)) {
			return true;
		}
		if (style == ResultStyle.SUSPEND) {
			Class<?> result = ResultStyle.resultOfCoroutine(method, targetClass);
			if (EMPTY.containsKey(result) || result.getName().equals("kotlin.Unit")) {
				return true;
			}
		}
		return Nullness.forMethodReturnType(method) != Nullness.NON_NULL;
	}

}
