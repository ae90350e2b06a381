package io.github.zklock.embedded;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * What a ZooKeeper request asks for. A reply has the operation of its request.
 */
public enum Operation {

	/**
	 * The request that opens or reopens a session.
	 */
	CONNECT,

	/**
	 * The client's own keep-alive.
	 */
	PING(OpCode.ping),

	/**
	 * A watch event, which only servers send.
	 */
	NOTIFICATION(OpCode.notification),

	/**
	 * Any kind of {@code create}.
	 */
	CREATE(OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL),

	/**
	 * {@code delete}.
	 */
	DELETE(OpCode.delete),

	/**
	 * {@code exists}.
	 */
	EXISTS(OpCode.exists),

	/**
	 * {@code getData}.
	 */
	GET_DATA(OpCode.getData),

	/**
	 * {@code setData}.
	 */
	SET_DATA(OpCode.setData),

	/**
	 * {@code getChildren}, with or without the parent's Stat.
	 */
	GET_CHILDREN(OpCode.getChildren, OpCode.getChildren2),

	/**
	 * {@code getEphemerals}.
	 */
	GET_EPHEMERALS(OpCode.getEphemerals),

	/**
	 * {@code sync}.
	 */
	SYNC(OpCode.sync),

	/**
	 * {@code multi}, of writes or of reads.
	 */
	MULTI(OpCode.multi, OpCode.multiRead),

	/**
	 * The watches that a client sets again after a reconnect.
	 */
	SET_WATCHES(OpCode.setWatches, OpCode.setWatches2),

	/**
	 * {@code addAuthInfo} and SASL.
	 */
	AUTH(OpCode.auth, OpCode.sasl),

	/**
	 * The orderly end of a session.
	 */
	CLOSE_SESSION(OpCode.closeSession),

	/**
	 * Everything that has no constant of its own.
	 */
	OTHER,

	/**
	 * For rules: every request but {@link #CONNECT} and {@link #PING}.
	 */
	ANY;

	private static final Map<Integer, Operation> BY_CODE = Arrays.stream(values())
		.flatMap((operation) -> Arrays.stream(operation.codes).boxed().map((code) -> Map.entry(code, operation)))
		.collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

	@SuppressWarnings("ImmutableEnumChecker") // never written
	private final int[] codes;

	Operation(int... codes) {
		this.codes = codes;
	}

	static Operation ofCode(int code) {
		return BY_CODE.getOrDefault(code, OTHER);
	}

	boolean matches(Operation actual) {
		return (this == ANY) ? actual != CONNECT && actual != PING && actual != NOTIFICATION : this == actual;
	}

}
