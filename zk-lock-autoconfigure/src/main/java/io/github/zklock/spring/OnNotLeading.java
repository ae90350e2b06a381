package io.github.zklock.spring;

/**
 * What becomes of a call that only the leader may make, in a process that does not lead.
 */
public enum OnNotLeading {

	/**
	 * The body does not run, and the call returns nothing: null, an empty
	 * {@link java.util.Optional}, a stage of null, an empty publisher.
	 */
	SKIP,

	/**
	 * The call fails with {@link NotLeaderException}.
	 */
	THROW

}
