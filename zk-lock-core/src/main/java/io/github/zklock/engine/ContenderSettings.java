package io.github.zklock.engine;

/**
 * What all attempts of a registry have in common.
 *
 * @param sequenceLimit the number from which on a queue is drained
 * @param ids makes names for attempts
 * @param createRoot whether the root is created if it does not exist
 */
record ContenderSettings(long sequenceLimit, ContenderIds ids, boolean createRoot) {

	/**
	 * From here on up to its overflow the counter is not to be trusted: creates in flight
	 * may pass each other.
	 */
	static final long LAST_SEQUENCE = (1L << 31) - (1L << 20);

	static final long DEFAULT_SEQUENCE_LIMIT = 1L << 30;

}
