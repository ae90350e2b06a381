package io.github.zklock.spring;

import java.util.Collection;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at start-up when an annotation or a property cannot work.
 */
public class LockConfigurationException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Create an exception.
	 * @param description what is wrong, and where
	 * @param action what to do about it
	 */
	public LockConfigurationException(String description, String action) {
		this(description, action, null);
	}

	/**
	 * Create an exception.
	 * @param description what is wrong, and where
	 * @param action what to do about it
	 * @param cause why, if that is known
	 */
	public LockConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	/**
	 * Say that nobody can tell which of several beans to use.
	 * @param type what is needed once
	 * @param beanNames the beans
	 * @param cause who has found out
	 * @return a new exception
	 */
	public static LockConfigurationException severalBeans(Class<?> type, @Nullable Collection<String> beanNames,
			@Nullable Throwable cause) {
		String names = (beanNames != null) ? beanNames.stream().sorted().collect(Collectors.joining("', '")) : "";
		return new LockConfigurationException(
				"There are several %s beans, and none is marked as the one to use: '%s'."
					.formatted(type.getSimpleName(), names),
				"Mark one of them @Primary: annotations, roles and the LockTemplate use that one.", cause);
	}

	/**
	 * Return what to do about it.
	 * @return advice in one or more sentences
	 */
	public String action() {
		return this.action;
	}

}
