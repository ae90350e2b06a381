package io.github.zklock.zookeeper;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.zklock.engine.ReturnCode;
import io.github.zklock.engine.ReturnCode.Meaning;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * What the codes in ZooKeeper's answers mean. Every code has its place.
 */
final class ReturnCodes {

	// Code.get throws for what it does not know
	private static final Map<Integer, ReturnCode> CODES = Arrays.stream(Code.values())
		.collect(Collectors.toUnmodifiableMap(Code::intValue, (code) -> returnCode(meaning(code), code)));

	private static final ReturnCode UNKNOWN = returnCode(Meaning.UNKNOWN, Code.SYSTEMERROR);

	private ReturnCodes() {
	}

	static ReturnCode of(int code) {
		ReturnCode known = CODES.get(code);
		return (known != null) ? known : UNKNOWN;
	}

	/**
	 * Return what an answer means of which the client may have read the beginning only:
	 * it then says that all is well, and has no result.
	 */
	static ReturnCode of(int code, @Nullable Object result) {
		return (code == Code.OK.intValue() && result == null) ? UNKNOWN : of(code);
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

	private static ReturnCode returnCode(Meaning meaning, Code code) {
		return new ReturnCode(meaning, refusal(code), exception(code));
	}

	private static String refusal(Code code) {
		return switch (code) {
			case NOAUTH -> "it does not let this process do that";
			case INVALIDACL -> "it refuses the access control list, as it does if that is for the creator and there are"
					+ " no credentials";
			default -> "it refuses the request";
		};
	}

	private static Function<String, Exception> exception(Code code) {
		// these two are no exceptions in the client's eyes
		Code thrown = (code != Code.OK && code != Code.UNKNOWNSESSION) ? code : Code.SYSTEMERROR;
		return (path) -> KeeperException.create(thrown, path);
	}

}
