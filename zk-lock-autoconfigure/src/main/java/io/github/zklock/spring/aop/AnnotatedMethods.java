package io.github.zklock.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Looks for annotations of one type, which may be repeated, composed, inherited and on
 * interfaces. The same lookup tells whether a method is annotated, and with what.
 *
 * @param <A> the type of annotation
 */
final class AnnotatedMethods<A extends Annotation> {

	private final Class<A> type;

	private final Map<MethodClassKey, Set<A>> known = new ConcurrentHashMap<>();

	AnnotatedMethods(Class<A> type) {
		this.type = type;
	}

	/**
	 * Find the annotations that hold for a method: those on the method that runs, else on
	 * the one that was called, else on the class.
	 * @param method the method that was called
	 * @param targetClass the class of the object that it is called on
	 * @return the annotations, empty if there are none
	 */
	Set<A> find(Method method, Class<?> targetClass) {
		return this.known.computeIfAbsent(new MethodClassKey(method, targetClass),
				(key) -> Collections.unmodifiableSet(lookUp(method, targetClass)));
	}

	private Set<A> lookUp(Method method, Class<?> targetClass) {
		Method specific = BridgeMethodResolver.findBridgedMethod(AopUtils.getMostSpecificMethod(method, targetClass));
		if (specific.isSynthetic() && Modifier.isStatic(specific.getModifiers())) {
			// Kotlin copies the annotations of suspending functions to such methods
			return Set.of();
		}
		Set<A> found = onMethod(specific);
		if (found.isEmpty() && !specific.equals(method)) {
			found = onMethod(method);
		}
		if (found.isEmpty() && isCoveredByItsType(specific)) {
			found = onType(targetClass);
		}
		return found;
	}

	Set<A> onMethod(Method method) {
		return on(method);
	}

	Set<A> onType(Class<?> type) {
		return on(type);
	}

	/**
	 * All that are there, and not the first alone: one lookup for a single annotation
	 * finds nothing where there are two.
	 */
	private Set<A> on(AnnotatedElement element) {
		List<MergedAnnotation<A>> found = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(this.type)
			.toList();
		return found.stream()
			.filter((annotation) -> found.stream().noneMatch((other) -> replaces(other, annotation)))
			.map(MergedAnnotation::synthesize)
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Return whether an annotation is on something that overrides what the other is on.
	 */
	private boolean replaces(MergedAnnotation<A> overriding, MergedAnnotation<A> overridden) {
		Class<?> here = declaringClass(overriding.getSource());
		Class<?> there = declaringClass(overridden.getSource());
		return here != null && there != null && here != there && there.isAssignableFrom(here);
	}

	private static @Nullable Class<?> declaringClass(@Nullable Object source) {
		if (source instanceof Member member) {
			return member.getDeclaringClass();
		}
		return (source instanceof Class<?> type) ? type : null;
	}

	/**
	 * Return whether an annotation on the type holds for a method.
	 */
	static boolean isCoveredByItsType(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic() && !ReflectionUtils.isObjectMethod(method);
	}

	/**
	 * Return the method that runs; for a generated class the interface method that was
	 * called, because the generated one has no parameter names.
	 */
	static Method runningMethod(Method method, Class<?> targetClass) {
		return BridgeMethodResolver.findBridgedMethod(GeneratedClasses.isGenerated(targetClass) ? method
				: AopUtils.getMostSpecificMethod(method, targetClass));
	}

}
