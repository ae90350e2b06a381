package io.github.zklock.autoconfigure;

/**
 * Whether anybody in the application needs a session from the start.
 */
final class SessionDemand {

	private volatile boolean wanted;

	/**
	 * Somebody needs it.
	 */
	void want() {
		this.wanted = true;
	}

	boolean isWanted() {
		return this.wanted;
	}

}
