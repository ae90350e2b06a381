package io.github.zklock.sample.web;

/**
 * Thrown when a lock is to be taken away from whoever holds it, but nobody does.
 */
class NotHeldException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	NotHeldException(String lock) {
		super("Nobody holds lock '%s'".formatted(lock));
	}

}
