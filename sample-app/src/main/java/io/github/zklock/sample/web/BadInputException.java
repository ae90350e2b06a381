package io.github.zklock.sample.web;

/**
 * Thrown when a request makes no sense.
 */
class BadInputException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BadInputException(String message) {
		super(message);
	}

}
