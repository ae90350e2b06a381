package io.github.zklock.engine;

import io.github.zklock.LockNames;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.UnavailableReason;
import org.jspecify.annotations.Nullable;

/**
 * Why a lock or a role is unavailable.
 *
 * @param reason the reason
 * @param text says what happened and which option to look at, for the end of a sentence
 * @param cause what has failed, if that is known
 */
record Failure(UnavailableReason reason, String text, @Nullable Throwable cause) {

	Failure(UnavailableReason reason, String text) {
		this(reason, text, null);
	}

	/**
	 * Something has failed in this process that should not.
	 */
	static Failure internalError(@Nullable Throwable cause) {
		return new Failure(UnavailableReason.INTERNAL_ERROR,
				"an unexpected error in this process, see the log of 'io.github.zklock'", cause);
	}

	/**
	 * Return the exception for a request for a lock.
	 * @param place where it is looked for
	 */
	LockUnavailableException ofLock(String name, String place) {
		return of("Lock", name, place);
	}

	/**
	 * Return the exception for a candidate of a role.
	 * @param place where it is looked for
	 */
	LockUnavailableException ofRole(String role, String place) {
		return of("Role", role, place);
	}

	/**
	 * Return the exception for a look at a queue.
	 * @param place where it is looked for
	 */
	LockUnavailableException ofQueue(String name, String place) {
		return of("Queue of", name, place);
	}

	private LockUnavailableException of(String what, String name, String place) {
		return new LockUnavailableException(name, "%s '%s' is unavailable from %s: %s%s".formatted(what,
				LockNames.shown(name), place, this.text, detail()), this.reason, this.cause);
	}

	private String detail() {
		if (this.cause == null) {
			return "";
		}
		String message = this.cause.getMessage();
		return " (%s)".formatted((message != null) ? message : this.cause);
	}

}
