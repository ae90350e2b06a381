package io.github.zklock.spring;

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
	 * Return what to do about it.
	 * @return advice in one or more sentences
	 */
	public String action() {
		return this.action;
	}

}
