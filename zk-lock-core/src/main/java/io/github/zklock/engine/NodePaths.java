package io.github.zklock.engine;

import java.util.List;

/**
 * Where the nodes of locks and roles are.
 *
 * @param root the node below which everything is
 */
record NodePaths(String root) {

	private static final String LOCKS = "locks";

	private static final String LEADERS = "leaders";

	/**
	 * What is directly below the root.
	 */
	static final List<String> KINDS = List.of(LOCKS, LEADERS);

	LockPath ofLock(String name) {
		return LockPath.of(this.root, LOCKS, name);
	}

	LockPath ofRole(String role) {
		return LockPath.of(this.root, LEADERS, role);
	}

	LockPath ofLockSegment(String segment) {
		return LockPath.ofSegment(this.root, LOCKS, segment);
	}

	LockPath ofRoleSegment(String segment) {
		return LockPath.ofSegment(this.root, LEADERS, segment);
	}

}
