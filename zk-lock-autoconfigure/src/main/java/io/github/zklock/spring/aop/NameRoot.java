package io.github.zklock.spring.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * What {@code #root} is in the name of a lock. Public for the expression language only.
 */
public final class NameRoot {

	private final Method method;

	private final @Nullable Object target;

	private final @Nullable Object[] args;

	NameRoot(Method method, @Nullable Object target, @Nullable Object[] args) {
		this.method = method;
		this.target = target;
		this.args = args;
	}

	/**
	 * Return the method that runs.
	 * @return the method
	 */
	public Method getMethod() {
		return this.method;
	}

	/**
	 * Return the object that it runs on.
	 * @return the object
	 */
	public @Nullable Object getTarget() {
		return this.target;
	}

	/**
	 * Return the arguments of the call.
	 * @return the arguments
	 */
	public @Nullable Object[] getArgs() {
		return this.args.clone();
	}

}
