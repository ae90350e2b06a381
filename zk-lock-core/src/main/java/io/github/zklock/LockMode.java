package io.github.zklock;

/**
 * How a lock is held.
 */
public enum LockMode {

	/**
	 * By one, and by nobody else in whichever mode.
	 */
	WRITE,

	/**
	 * By any number at the same time, as long as nobody holds it in mode {@link #WRITE}.
	 */
	READ

}
