package io.github.zklock.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.zklock.spring.LeaderOnly;
import io.github.zklock.spring.LockConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds annotations where no proxy can see them: the body would run without its lock.
 *
 * @param <A> the type of annotation
 */
final class AnnotationRules<A extends Annotation> {

	private static final Set<String> CALLBACKS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private final AnnotatedMethods<A> annotated;

	private final Class<A> type;

	private final Map<Class<?>, Boolean> concerned = new ConcurrentHashMap<>();

	AnnotationRules(Class<A> type) {
		this.annotated = new AnnotatedMethods<>(type);
		this.type = type;
	}

	/**
	 * Return the class that says what holds for a bean.
	 * @return the class of the bean behind all proxies, or the bean's own if it is a
	 * proxy with an annotated interface; null if there is no annotation
	 */
	@Nullable Class<?> annotatedClass(Object bean) {
		Class<?> targetClass = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
		if (concerns(targetClass)) {
			return targetClass;
		}
		Class<?> beanClass = bean.getClass();
		return (Proxy.isProxyClass(beanClass) && concerns(beanClass)) ? beanClass : null;
	}

	/**
	 * Return whether a class, or anything above it, carries the annotation.
	 */
	boolean concerns(Class<?> type) {
		return this.concerned.computeIfAbsent(type, this::findAny);
	}

	private boolean findAny(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, this.type) && (annotatedMethods(type).findAny().isPresent()
				|| (isOnType(type) && methods(type).anyMatch(AnnotatedMethods::isCoveredByItsType)));
	}

	private boolean isOnType(Class<?> type) {
		return !this.annotated.onType(type).isEmpty();
	}

	private Stream<Method> annotatedMethods(Class<?> type) {
		return methods(type).filter((method) -> !this.annotated.onMethod(method).isEmpty());
	}

	/**
	 * Return all methods that somebody has written, those of superclasses and interfaces
	 * too.
	 */
	static Stream<Method> methods(Class<?> type) {
		return GeneratedClasses.written(type)
			.flatMap((written) -> Arrays.stream(ReflectionUtils.getAllDeclaredMethods(written)))
			.filter((method) -> !method.isSynthetic() && method.getDeclaringClass() != Object.class)
			.distinct();
	}

	/**
	 * Check that all calls of the methods of a class go through the proxy of a bean.
	 */
	void check(Class<?> annotatedClass, Object bean) {
		List<Method> methods = annotatedMethods(annotatedClass).toList();
		for (Method method : methods) {
			rejectModifiers(method, Modifier.PRIVATE | Modifier.STATIC);
			rejectCallback(method);
		}
		if (isOnType(annotatedClass)) {
			methods(annotatedClass).filter(AnnotatedMethods::isCoveredByItsType).forEach(this::rejectCallback);
		}
		if (Proxy.isProxyClass(bean.getClass())) {
			requireInterface(methods, annotatedClass, bean.getClass());
			return;
		}
		for (Method method : methods) {
			rejectModifiers(method, Modifier.FINAL);
			rejectOtherPackage(method, annotatedClass);
		}
		if (isOnType(annotatedClass)) {
			methods(annotatedClass).filter((method) -> isOfType(method, annotatedClass))
				.forEach((method) -> rejectModifiers(method, Modifier.FINAL));
		}
	}

	private static boolean isOfType(Method method, Class<?> annotatedClass) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) ? !Modifier.isStatic(modifiers)
				: method.getDeclaringClass() == annotatedClass && !Modifier.isPrivate(modifiers)
						&& !Modifier.isStatic(modifiers);
	}

	private void rejectModifiers(Method method, int modifiers) {
		int found = method.getModifiers() & modifiers;
		if (found != 0) {
			throw notCalled(method, "is " + Modifier.toString(found), "Remove '%s'".formatted(Modifier.toString(found))
					+ " (in Kotlin: add 'open', or use the kotlin-spring plugin), or " + withoutProxy());
		}
	}

	/**
	 * What is visible in its package only is not overridden by a class in another one.
	 */
	private void rejectOtherPackage(Method method, Class<?> annotatedClass) {
		int visible = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE;
		boolean packagePrivate = (method.getModifiers() & visible) == 0;
		if (packagePrivate && !method.getDeclaringClass().getPackage().equals(annotatedClass.getPackage())) {
			throw notCalled(method, "is package-private and inherited by " + annotatedClass.getName(),
					"Make it public or protected, or " + withoutProxy());
		}
	}

	/**
	 * The container calls back the bean itself.
	 */
	private void rejectCallback(Method method) {
		boolean annotated = Arrays.stream(method.getAnnotations())
			.anyMatch((annotation) -> CALLBACKS.contains(annotation.annotationType().getName()));
		if (annotated || implementsMethod(method, InitializingBean.class, "afterPropertiesSet")
				|| implementsMethod(method, DisposableBean.class, "destroy")) {
			throw notCalled(method, "is called by the container",
					"Move the work to a method that is called later, for example by an ApplicationReadyEvent, or "
							+ withoutProxy());
		}
	}

	private static boolean implementsMethod(Method method, Class<?> type, String name) {
		return method.getName().equals(name) && method.getParameterCount() == 0
				&& type.isAssignableFrom(method.getDeclaringClass());
	}

	private void requireInterface(List<Method> methods, Class<?> annotatedClass, Class<?> proxyClass) {
		Set<Method> callable = Arrays.stream(proxyClass.getInterfaces())
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.map((method) -> AnnotatedMethods.runningMethod(method, annotatedClass))
			.collect(Collectors.toSet());
		for (Method method : methods) {
			if (!callable.contains(AnnotatedMethods.runningMethod(method, annotatedClass))
					&& !method.getDeclaringClass().isInterface()) {
				throw notCalled(method, "is not a method of an interface, as the JDK proxy of the bean needs it",
						"Declare the method in an interface, or set spring.aop.proxy-target-class=true.");
			}
		}
	}

	private LockConfigurationException notCalled(Method method, String reason, String action) {
		return new LockConfigurationException("%s holds for %s, which %s: calls do not go through a proxy."
			.formatted(label(), MethodNames.of(method), reason), action);
	}

	/**
	 * Complain about a class that no proxy can extend.
	 */
	LockConfigurationException isFinal(Class<?> annotatedClass, Throwable cause) {
		return new LockConfigurationException(
				"%s is used in the class %s, which is final: no proxy can be made.".formatted(label(),
						annotatedClass.getName()),
				"Remove 'final' (in Kotlin: add 'open', or use the kotlin-spring plugin), or " + withoutProxy(), cause);
	}

	/**
	 * Complain about a bean that carries the annotation and has no advice for it.
	 */
	LockConfigurationException unadvised(String beanName, Class<?> annotatedClass) {
		return new LockConfigurationException(
				"%s is used in %s, but the bean '%s' has no proxy: it was made too early, or not by the container."
					.formatted(label(), annotatedClass.getName(), beanName),
				"Do not use the annotation in beans that post-processors need; make the @Bean methods of "
						+ "post-processors static, do not register finished objects, or " + withoutProxy());
	}

	/**
	 * Complain about a bean that others get before it has its advice.
	 */
	LockConfigurationException circular(String beanName, Class<?> annotatedClass) {
		return new LockConfigurationException(
				"%s is used in %s, but the bean '%s' needs itself, perhaps by way of others, before it has a proxy."
					.formatted(label(), annotatedClass.getName(), beanName),
				"Add @Lazy to an injection point of the circle, or " + withoutProxy());
	}

	/**
	 * Complain about a bean that carries the annotation at all.
	 */
	LockConfigurationException forbidden(String beanName, Class<?> annotatedClass) {
		return new LockConfigurationException(
				"%s is used in %s, the class of the bean '%s', but zk.lock.enabled=false: its methods would run without protection."
					.formatted(label(), annotatedClass.getName(), beanName),
				"Set zk.lock.type=local instead, for locks within this application only, or remove zk.lock.enabled=false.");
	}

	/**
	 * Say what to do where no proxy is possible.
	 */
	private String withoutProxy() {
		return (this.type == LeaderOnly.class) ? "use Leadership.run(Runnable)." : "use a LockTemplate.";
	}

	private String label() {
		return "@" + this.type.getSimpleName();
	}

}
