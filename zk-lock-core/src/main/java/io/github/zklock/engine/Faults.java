package io.github.zklock.engine;

/**
 * Where tests let errors happen: at the beginning and at the end of whatever must not be
 * left half done.
 */
@FunctionalInterface
interface Faults {

	Faults NONE = (place) -> {
	};

	/**
	 * Go on, or throw what the code has to survive.
	 * @param place what is about to be done, or has been
	 */
	void pass(String place);

}
