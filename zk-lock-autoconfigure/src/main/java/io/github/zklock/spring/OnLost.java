package io.github.zklock.spring;

/**
 * What becomes of a call that loses its lock, or its leadership, while its body runs.
 */
public enum OnLost {

	/**
	 * The body runs to its end, transactions do not commit, and the call fails with
	 * {@link io.github.zklock.LockLostException}.
	 */
	THROW,

	/**
	 * As {@link #THROW}, and the body is interrupted at once; what has no thread is
	 * cancelled.
	 */
	INTERRUPT,

	/**
	 * Nothing: the call ends as if the lock had not been lost. For work that may run
	 * twice.
	 */
	IGNORE

}
