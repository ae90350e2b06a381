package io.github.zklock.zookeeper;

import java.util.List;

import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * What all attempts of a registry have in common.
 *
 * @param acl who may do what with the nodes
 * @param sequenceLimit the number from which on a queue is drained
 * @param ids makes names for attempts
 * @param chroot what the servers put before each path of this client, null if that is not
 * known
 * @param createRoot whether the root is created if it does not exist
 */
record ContenderSettings(List<ACL> acl, long sequenceLimit, AttemptIds ids, @Nullable String chroot,
		boolean createRoot) {

	/**
	 * From here on up to its overflow the counter is not to be trusted: creates in flight
	 * may pass each other.
	 */
	static final long LAST_SEQUENCE = (1L << 31) - (1L << 20);

	static final long DEFAULT_SEQUENCE_LIMIT = 1L << 30;

}
