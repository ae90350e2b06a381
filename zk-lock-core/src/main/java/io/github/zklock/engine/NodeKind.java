package io.github.zklock.engine;

import io.github.zklock.LockMode;

/**
 * What a node of ours contends for. Its name tells that to other clients, too.
 */
enum NodeKind {

	/**
	 * For the whole lock, or for a leader's role.
	 */
	LOCK("lock-", LockMode.WRITE),

	/**
	 * For the whole lock, by a name that Curator's read/write locks know.
	 */
	CURATOR_WRITE("__WRIT__", LockMode.WRITE),

	/**
	 * For a share in the lock.
	 */
	READ("__READ__", LockMode.READ);

	private final String marker;

	private final LockMode mode;

	NodeKind(String marker, LockMode mode) {
		this.marker = marker;
		this.mode = mode;
	}

	LockMode mode() {
		return this.mode;
	}

	boolean isShared() {
		return this.mode == LockMode.READ;
	}

	/**
	 * Return the name of a node without its number.
	 * @param id makes it different from all others
	 */
	String prefix(String id) {
		return "_c_" + id + "-" + this.marker;
	}

	/**
	 * Return whether a node that is there has to go before a new one of this kind may be
	 * granted.
	 */
	boolean isBlockedBy(ContenderNode present) {
		return !isShared() || !present.isShared();
	}

}
