package io.github.zklock.engine;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The store's answer to a request.
 *
 * @param <T> the type of the result
 */
final class Response<T> {

	private final ReturnCode code;

	private final @Nullable T result;

	private final boolean oldestLost;

	Response(ReturnCode code, @Nullable T result) {
		this(code, result, false);
	}

	Response(ReturnCode code, @Nullable T result, boolean oldestLost) {
		this.code = code;
		this.result = result;
		this.oldestLost = oldestLost;
	}

	ReturnCode.Meaning meaning() {
		return this.code.meaning();
	}

	boolean is(ReturnCode.Meaning meaning) {
		return this.code.is(meaning);
	}

	/**
	 * Return the result of an operation that was executed.
	 */
	T result() {
		return Objects.requireNonNull(this.result);
	}

	/**
	 * Return whether the connection was lost while this was the oldest request without an
	 * answer.
	 */
	boolean isOldestLost() {
		return this.oldestLost;
	}

	ReturnCode code() {
		return this.code;
	}

	Exception toException(String path) {
		return this.code.toException(path);
	}

}
