package io.github.zklock.spring.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.springframework.util.ClassUtils;

/**
 * Names methods in messages.
 */
final class MethodNames {

	private MethodNames() {
	}

	static String of(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(ClassUtils::getShortName)
			.collect(
					Collectors.joining(", ", method.getDeclaringClass().getName() + "." + method.getName() + "(", ")"));
	}

}
