package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockConfigurationException;
import io.github.zklock.spring.OnNotLeading;
import io.github.zklock.spring.leader.LeaderRoles;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * The methods that only the leader runs. Each is looked up, checked and read once; its
 * role counts as used from then on.
 */
final class LeaderMethods {

	static final String ANNOTATION = "@LeaderOnly";

	private final AnnotatedMethods<LeaderOnly> annotated = new AnnotatedMethods<>(LeaderOnly.class);

	private final Map<MethodClassKey, Optional<LeaderMethod>> known = new ConcurrentHashMap<>();

	private final Supplier<LeaderRoles> roles;

	private final AnnotationValues texts;

	LeaderMethods(ConfigurableBeanFactory beanFactory, Supplier<LeaderRoles> roles) {
		this.roles = roles;
		this.texts = new AnnotationValues(beanFactory);
	}

	/**
	 * Return whether only the leader runs a method, without a look at what that says.
	 * @param method the method that was called
	 * @param targetClass the class of the object that it is called on
	 */
	boolean isLeaderOnly(Method method, Class<?> targetClass) {
		return !this.annotated.find(method, ClassUtils.getUserClass(targetClass)).isEmpty();
	}

	/**
	 * Find a method.
	 * @param method the method that was called
	 * @param targetClass the class of the object that it is called on
	 * @return the method with its role, null if everybody may run it
	 * @throws LockConfigurationException if it cannot work
	 */
	@Nullable LeaderMethod find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		MethodClassKey key = new MethodClassKey(method, userClass);
		Optional<LeaderMethod> found = this.known.get(key);
		if (found == null) {
			found = Optional.ofNullable(read(method, userClass));
			this.known.put(key, found);
		}
		return found.orElse(null);
	}

	private @Nullable LeaderMethod read(Method method, Class<?> targetClass) {
		Set<LeaderOnly> annotations = this.annotated.find(method, targetClass);
		if (annotations.isEmpty()) {
			return null;
		}
		Method running = AnnotatedMethods.runningMethod(method, targetClass);
		String where = "The @LeaderOnly of " + MethodNames.of(running);
		if (annotations.size() > 1) {
			throw new LockConfigurationException("%s is not the only one.".formatted(where),
					"Keep one @LeaderOnly, directly, by a composed annotation or by an interface.");
		}
		LeaderOnly annotation = annotations.iterator().next();
		ResultStyle style = ResultStyle.of(running, targetClass, ANNOTATION);
		if (annotation.onNotLeading() == OnNotLeading.SKIP && !EmptyResult.isPossible(running, targetClass, style)) {
			throw new LockConfigurationException(
					"%s has onNotLeading=SKIP, but the method must not return null.".formatted(where),
					"Return an Optional, a wrapper type, a @Nullable type or a publisher that may be empty, or set onNotLeading=THROW.");
		}
		String named = this.texts.resolve(annotation.role(), where, "role");
		String role = named.isEmpty() ? this.roles.get().defaultRole() : named;
		return new LeaderMethod(running, ResultStyle.resultType(running, targetClass), style, role,
				this.roles.get().execution(role, annotation.onLost()), annotation.onNotLeading(),
				EmptyResult.of(running, targetClass, style));
	}

}
