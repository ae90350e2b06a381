package io.github.zklock.sample.shop;

/**
 * Thrown when no seat is free.
 */
public class SoldOutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SoldOutException() {
		super("All seats are sold");
	}

}
