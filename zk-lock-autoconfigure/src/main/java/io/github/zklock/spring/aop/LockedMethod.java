package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import io.github.zklock.LockTimeoutException;
import io.github.zklock.spring.LockOptions;
import io.github.zklock.spring.OnContention;
import org.jspecify.annotations.Nullable;

/**
 * A method with its locks.
 *
 * @param method the method that runs
 * @param type the type of its result
 * @param style how it gives its result
 * @param locks its locks, at least one
 * @param empty what it returns if it is skipped
 */
record LockedMethod(Method method, Class<?> type, ResultStyle style, List<LockSpec> locks, @Nullable Object empty) {

	/**
	 * Return the locks that a call needs.
	 * @throws IllegalArgumentException if the name of one cannot be evaluated
	 */
	List<LockOptions> locksOf(@Nullable Object target, @Nullable Object[] arguments) {
		return this.locks.stream().map((lock) -> options(lock, target, arguments)).toList();
	}

	private LockOptions options(LockSpec lock, @Nullable Object target, @Nullable Object[] arguments) {
		String name = lock.name().evaluate(target, arguments);
		return new LockOptions(name, lock.mode(), lock.maxWait(), lock.onContention(), instead(lock, target, arguments),
				lock.minHold(), lock.onLost());
	}

	/**
	 * Return what gives the result of a call that does not get the lock, null if nothing
	 * does.
	 */
	private @Nullable Function<LockTimeoutException, @Nullable Object> instead(LockSpec lock, @Nullable Object target,
			@Nullable Object[] arguments) {
		FallbackMethod fallback = lock.fallback();
		if (fallback != null) {
			return (contention) -> call(fallback, target, arguments, contention);
		}
		Object skipped = this.empty;
		return (lock.onContention() == OnContention.SKIP && skipped != null) ? (contention) -> skipped : null;
	}

	private static @Nullable Object call(FallbackMethod fallback, @Nullable Object target, @Nullable Object[] arguments,
			LockTimeoutException contention) {
		try {
			return fallback.call(target, arguments, contention);
		}
		catch (Throwable ex) {
			throw LockedMethod.<RuntimeException>rethrow(ex);
		}
	}

	/**
	 * Let a method throw what it declares through code that does not.
	 */
	@SuppressWarnings("unchecked")
	private static <E extends Throwable> RuntimeException rethrow(Throwable ex) throws E {
		throw (E) ex;
	}

	boolean mayThrowInterrupt() {
		return Arrays.stream(this.method.getExceptionTypes())
			.anyMatch((type) -> type.isAssignableFrom(InterruptedException.class));
	}

}
