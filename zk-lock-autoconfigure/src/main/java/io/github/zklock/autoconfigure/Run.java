package io.github.zklock.autoconfigure;

import io.github.zklock.LockInspector;
import io.github.zklock.LockRegistry;

/**
 * The locks between a start and the next stop.
 */
interface Run {

	LockRegistry registry();

	LockInspector inspector();

	/**
	 * Take all locks away, for good.
	 */
	void close();

}
