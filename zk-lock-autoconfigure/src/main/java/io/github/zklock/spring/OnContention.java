package io.github.zklock.spring;

/**
 * What becomes of a call whose lock others hold. Only that: if ZooKeeper cannot be asked,
 * if the caller is interrupted, or if the lock is lost, the call always fails.
 */
public enum OnContention {

	/**
	 * The call fails with {@link io.github.zklock.LockTimeoutException}.
	 */
	THROW,

	/**
	 * The body does not run, and the call returns nothing: null, an empty
	 * {@link java.util.Optional}, a stage of null, an empty publisher.
	 */
	SKIP,

	/**
	 * Another method runs instead, without the lock.
	 */
	FALLBACK

}
