package io.github.zklock.zookeeper;

import org.apache.zookeeper.KeeperException.Code;

/**
 * Says why ZooKeeper refuses something, and what to do about it.
 */
final class Refusal {

	static final String RECIPE = """
			check the credentials ('authInfo', property 'zk.lock.auth') and the access control list \
			('acl', 'zk.lock.acl') against those of the nodes. docs/security.md tells how to change credentials, \
			and how to make the root by hand ('createRoot', 'zk.lock.create-root')""";

	private Refusal() {
	}

	/**
	 * Return the reason for an answer that is a refusal.
	 * @param path the node in question
	 */
	static String reason(ReturnCode code, String path) {
		if (code.is(ReturnCode.Meaning.TOO_LONG)) {
			return "the names in its queue '%s' are more than a client can read: remove what does not belong there, or raise 'jute.maxbuffer'"
				.formatted(path);
		}
		if (code.code() == Code.NOAUTH.intValue()) {
			return "ZooKeeper does not give it the right to: " + RECIPE;
		}
		if (code.code() == Code.INVALIDACL.intValue()) {
			return "ZooKeeper refuses the access control list, as it does if that is for the creator and there are"
					+ " no credentials: " + RECIPE;
		}
		return "ZooKeeper refuses it";
	}

}
