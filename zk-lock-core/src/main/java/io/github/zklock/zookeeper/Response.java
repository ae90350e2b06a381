package io.github.zklock.zookeeper;

import java.util.Objects;

import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's answer to an operation.
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

	KeeperException toException(String path) {
		return this.code.toException(path);
	}

}
