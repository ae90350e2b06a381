package io.github.zklock.zookeeper;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * What an answer of ZooKeeper means for whoever asked. Every code has its place; one that
 * is not known is never taken for "done" nor for "not done".
 *
 * @param code the number in the answer
 * @param meaning what follows from it
 */
record ReturnCode(int code, Meaning meaning) {

	enum Meaning {

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

	// Code.get throws for what it does not know
	private static final Map<Integer, Code> CODES = Arrays.stream(Code.values())
		.collect(Collectors.toUnmodifiableMap(Code::intValue, Function.identity()));

	static ReturnCode tooLong() {
		return new ReturnCode(Code.MARSHALLINGERROR.intValue(), Meaning.TOO_LONG);
	}

	static ReturnCode of(int code) {
		Code known = CODES.get(code);
		return new ReturnCode(code, (known != null) ? meaning(known) : Meaning.UNKNOWN);
	}

	/**
	 * Return what an answer means of which the client may have read the beginning only:
	 * it then says that all is well, and has no result.
	 */
	static ReturnCode of(int code, @Nullable Object result) {
		ReturnCode known = of(code);
		return (known.is(Meaning.OK) && result == null) ? new ReturnCode(code, Meaning.UNKNOWN) : known;
	}

	private static Meaning meaning(Code code) {
		return switch (code) {
			case OK -> Meaning.OK;
			case NONODE -> Meaning.NO_NODE;
			case NODEEXISTS -> Meaning.NODE_EXISTS;
			case NOTEMPTY -> Meaning.NOT_EMPTY;
			case CONNECTIONLOSS -> Meaning.DISCONNECTED;
			case THROTTLEDOP, NOTREADONLY -> Meaning.BUSY;
			case SESSIONEXPIRED -> Meaning.EXPIRED;
			case AUTHFAILED -> Meaning.AUTH_FAILED;
			case NOAUTH, INVALIDACL, BADARGUMENTS, UNIMPLEMENTED, EPHEMERALONLOCALSESSION, NOCHILDRENFOREPHEMERALS,
					MARSHALLINGERROR, SESSIONCLOSEDREQUIRESASLAUTH, QUOTAEXCEEDED, BADVERSION, INVALIDCALLBACK,
					NEWCONFIGNOQUORUM, RECONFIGINPROGRESS, RECONFIGDISABLED, NOWATCHER ->
				Meaning.REFUSED;
			default -> Meaning.UNKNOWN;
		};
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

	KeeperException toException(String path) {
		Code known = CODES.getOrDefault(this.code, Code.SYSTEMERROR);
		// these two are no exceptions in the client's eyes
		return KeeperException.create((known != Code.OK && known != Code.UNKNOWNSESSION) ? known : Code.SYSTEMERROR,
				path);
	}

}
