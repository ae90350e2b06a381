package io.github.zklock.engine;

import io.github.zklock.UnavailableReason;

/**
 * Says why something is refused, and what to do about it.
 */
final class Refusal {

	static final String RECIPE = """
			check the credentials ('authInfo', property 'zk.lock.auth') and the access control list \
			('acl', 'zk.lock.acl') against those of the nodes. docs/security.md tells how to change credentials, \
			and how to make the root by hand ('createRoot', 'zk.lock.create-root')""";

	/**
	 * The session was refused.
	 */
	static final Failure CREDENTIALS = new Failure(UnavailableReason.REFUSED,
			"it refuses the credentials: check 'authInfo' (property 'zk.lock.auth')");

	/**
	 * The registry is closed.
	 */
	static final Failure CLOSED = new Failure(UnavailableReason.CLOSED, """
			the registry is closed, as it is when its application stops. Those who hold a lock then have some time \
			('closeWait', zk.lock.shutdown.wait), and nobody gets a new one""");

	/**
	 * The registry is stopped.
	 */
	static final Failure STOPPED = new Failure(UnavailableReason.CLOSED,
			"""
					the registry has been stopped, as it is when its application stops. Those who hold a lock then have some time \
					('closeWait', zk.lock.shutdown.wait), and nobody gets a new one before the next start""");

	private Refusal() {
	}

	/**
	 * Return what an answer means that is a refusal.
	 * @param path the node in question
	 */
	static Failure of(Response<?> response, String path) {
		return response.is(ReturnCode.Meaning.TOO_LONG)
				? new Failure(UnavailableReason.TOO_LONG, tooLong(path), response.toException(path))
				: new Failure(UnavailableReason.REFUSED, response.code().refusal() + ": " + RECIPE,
						response.toException(path));
	}

	private static String tooLong(String path) {
		return """
				the names in its queue '%s' are more than a client can read: remove what does not belong there, or raise \
				'jute.maxbuffer' ('clientConfig', property 'zk.lock.client-properties[jute.maxbuffer]')"""
			.formatted(path);
	}

}
