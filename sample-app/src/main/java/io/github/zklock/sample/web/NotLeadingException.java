package io.github.zklock.sample.web;

/**
 * Thrown when only the leader can do what is asked for.
 */
class NotLeadingException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	NotLeadingException(String instance, String role) {
		super("Instance '%s' does not lead in '%s'".formatted(instance, role));
	}

}
