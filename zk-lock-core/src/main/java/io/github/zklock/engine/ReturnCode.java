package io.github.zklock.engine;

import java.util.function.Function;

/**
 * How a request has ended. What a store does not know is never taken for "done" nor for
 * "not done".
 *
 * @param meaning what follows for whoever has asked
 * @param refusal what the store does not like, for the beginning of a sentence, if it has
 * refused the request
 * @param exception makes an exception that says the same for a path
 */
public record ReturnCode(Meaning meaning, String refusal, Function<String, Exception> exception) {

	/**
	 * An answer that nobody can read, known without asking.
	 */
	static final ReturnCode TOO_LONG = new ReturnCode(Meaning.TOO_LONG, "the answer is too long", (
			path) -> new IllegalStateException("The names below '%s' are more than a client can read".formatted(path)));

	/**
	 * What follows from an answer.
	 */
	public enum Meaning {

		/**
		 * Executed.
		 */
		OK,

		/**
		 * There is no such node.
		 */
		NO_NODE,

		/**
		 * There is such a node already.
		 */
		NODE_EXISTS,

		/**
		 * The node has children.
		 */
		NOT_EMPTY,

		/**
		 * Executed or not: nobody knows before the connection is back.
		 */
		DISCONNECTED,

		/**
		 * Executed or not: nobody knows.
		 */
		UNKNOWN,

		/**
		 * Not executed, to be tried again a little later.
		 */
		BUSY,

		/**
		 * The session is over.
		 */
		EXPIRED,

		/**
		 * The session is over because the credentials are wrong.
		 */
		AUTH_FAILED,

		/**
		 * The answer would be longer than the client can read.
		 */
		TOO_LONG,

		/**
		 * Not executed, and trying again will not help.
		 */
		REFUSED

	}

	boolean is(Meaning meaning) {
		return this.meaning == meaning;
	}

	/**
	 * Return whether this answer to a write or a sync can only have come from the leader.
	 */
	boolean comesFromLeader() {
		return this.meaning == Meaning.OK || this.meaning == Meaning.NO_NODE || this.meaning == Meaning.NODE_EXISTS;
	}

	Exception toException(String path) {
		return this.exception.apply(path);
	}

}
