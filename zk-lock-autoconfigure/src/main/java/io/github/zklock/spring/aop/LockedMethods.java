package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.zklock.spring.DistributedLock;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.OnContention;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * The methods with locks. Each is looked up, checked and read once.
 */
final class LockedMethods {

	static final String ANNOTATION = "@DistributedLock";

	private final AnnotatedMethods<DistributedLock> annotated = new AnnotatedMethods<>(DistributedLock.class);

	private final Map<MethodClassKey, Optional<LockedMethod>> known = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, Set<DistributedLock>> locks = new ConcurrentHashMap<>();

	private final ConfigurableBeanFactory beanFactory;

	private final AnnotationValues texts;

	LockedMethods(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.texts = new AnnotationValues(beanFactory);
	}

	/**
	 * Return whether a method has locks, without a look at what they say.
	 * @param method the method that was called
	 * @param targetClass the class of the object that it is called on
	 */
	boolean isLocked(Method method, Class<?> targetClass) {
		return !locks(method, ClassUtils.getUserClass(targetClass)).isEmpty();
	}

	/**
	 * Return whether a method has locks and gives its result by a publisher, without a
	 * look at what the locks say.
	 * @param method the method that was called
	 * @param targetClass the class of the object that it is called on
	 */
	boolean isLockedPublisher(Method method, Class<?> targetClass) {
		if (!isLocked(method, targetClass)) {
			return false;
		}
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		ResultStyle style = ResultStyle.of(AnnotatedMethods.runningMethod(method, userClass), userClass, ANNOTATION);
		return style == ResultStyle.PUBLISHER || style == ResultStyle.SUSPEND;
	}

	/**
	 * Find a method.
	 * @param method the method that was called
	 * @param targetClass the class of the object that it is called on
	 * @return the method with its locks, null if it has none
	 * @throws LockConfigurationException if it cannot work
	 */
	@Nullable LockedMethod find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		MethodClassKey key = new MethodClassKey(method, userClass);
		Optional<LockedMethod> found = this.known.get(key);
		if (found == null) {
			found = Optional.ofNullable(read(method, userClass));
			this.known.put(key, found);
		}
		return found.orElse(null);
	}

	private @Nullable LockedMethod read(Method method, Class<?> targetClass) {
		Set<DistributedLock> locks = locks(method, targetClass);
		if (locks.isEmpty()) {
			return null;
		}
		Method running = AnnotatedMethods.runningMethod(method, targetClass);
		ResultStyle style = ResultStyle.of(running, targetClass, ANNOTATION);
		List<LockSpec> specs = locks.stream().map((lock) -> read(lock, running, targetClass, style)).toList();
		return new LockedMethod(running, ResultStyle.resultType(running, targetClass), style, specs,
				EmptyResult.of(running, targetClass, style));
	}

	private Set<DistributedLock> locks(Method method, Class<?> targetClass) {
		return this.locks.computeIfAbsent(new MethodClassKey(method, targetClass),
				(key) -> lookUp(method, targetClass));
	}

	private Set<DistributedLock> lookUp(Method method, Class<?> targetClass) {
		Set<DistributedLock> locks = this.annotated.find(method, targetClass);
		Method running = AnnotatedMethods.runningMethod(method, targetClass);
		boolean ofType = !locks.isEmpty() && this.annotated.onMethod(running).isEmpty()
				&& this.annotated.onMethod(method).isEmpty();
		return (ofType && isFallback(running, targetClass)) ? Set.of() : locks;
	}

	/**
	 * Return whether a method stands in for another one of its class.
	 */
	private boolean isFallback(Method method, Class<?> targetClass) {
		return AnnotationRules.methods(targetClass)
			.filter((guarded) -> !guarded.getName().equals(method.getName()))
			.filter((guarded) -> FallbackMethod.hasParametersFor(method, guarded))
			.flatMap((guarded) -> this.annotated.find(guarded, targetClass).stream())
			.anyMatch((lock) -> lock.fallback().equals(method.getName()));
	}

	private LockSpec read(DistributedLock lock, Method method, Class<?> targetClass, ResultStyle style) {
		String where = "The @DistributedLock of " + MethodNames.of(method);
		NameTemplate name = new NameTemplate(this.texts.resolve(lock.name(), where, "name"), method, this.beanFactory);
		Duration maxWait = this.texts.duration(lock.maxWait(), where, "maxWait");
		Duration minHold = this.texts.duration(lock.minHold(), where, "minHold");
		if (lock.onContention() == OnContention.SKIP && !EmptyResult.isPossible(method, targetClass, style)) {
			throw new LockConfigurationException(
					"%s has onContention=SKIP, but the method must not return null.".formatted(where),
					"Return an Optional, a wrapper type, a @Nullable type or a publisher that may be empty, or choose another 'onContention'.");
		}
		return new LockSpec(name, lock.mode(), maxWait, lock.onContention(), fallback(lock, method, targetClass, where),
				(minHold != null) ? minHold : Duration.ZERO, lock.onLost());
	}

	private static @Nullable FallbackMethod fallback(DistributedLock lock, Method method, Class<?> targetClass,
			String where) {
		boolean wanted = lock.onContention() == OnContention.FALLBACK;
		boolean named = !lock.fallback().isEmpty();
		if (wanted && !named) {
			throw new LockConfigurationException("%s has onContention=FALLBACK, but no fallback.".formatted(where),
					"Name a method of the same class in 'fallback'.");
		}
		if (named && !wanted) {
			throw new LockConfigurationException("%s has the fallback '%s', but onContention=%s.".formatted(where,
					lock.fallback(), lock.onContention()), "Set onContention=FALLBACK, or remove 'fallback'.");
		}
		return named ? FallbackMethod.find(lock.fallback(), method, targetClass) : null;
	}

}
