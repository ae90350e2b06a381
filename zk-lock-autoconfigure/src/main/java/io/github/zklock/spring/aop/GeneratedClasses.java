package io.github.zklock.spring.aop;

import java.lang.reflect.Proxy;
import java.util.stream.Stream;

import org.springframework.util.ClassUtils;

/**
 * Tells the classes that somebody has written from those of proxies and lambdas, of which
 * only the interfaces count.
 */
final class GeneratedClasses {

	private GeneratedClasses() {
	}

	static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
	}

	/**
	 * Return a class and all its interfaces, as far as somebody has written them.
	 */
	static Stream<Class<?>> written(Class<?> type) {
		Stream<Class<?>> interfaces = ClassUtils.getAllInterfacesForClassAsSet(type).stream();
		return isGenerated(type) ? interfaces : Stream.concat(Stream.of(type), interfaces).distinct();
	}

}
