package io.github.zklock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A holder of a lock or a role, or one who waits for it, as ZooKeeper sees it.
 *
 * @param node the name of the node
 * @param mode whether it is for the whole lock or for reading
 * @param holding whether it is its turn, unless this process knows that the node is one
 * that it has itself given up with its session
 * @param origin who has made the node
 * @param instance the name of the instance of zk-lock, if it is one; several may have the
 * same name
 * @param host its host, if it is known
 * @param pid its process, if it is known
 * @param thread the thread that has made the node, if it is known; the lock may have been
 * handed on to other threads of the same instance
 * @param since when the node was made, by the clock of the ZooKeeper servers
 * @param session the session that owns the node
 * @param token the latest transaction on the node: the fencing token of the holder, if it
 * has asked for it
 * @param text what the node says
 */
public record LockContender(String node, LockMode mode, boolean holding, Origin origin, @Nullable String instance,
		@Nullable String host, @Nullable Long pid, @Nullable String thread, Instant since, long session, long token,
		String text) {

	/**
	 * Says no more than a log can bear: other clients may have written anything.
	 */
	@Override
	public String toString() {
		return ("LockContender[node=%s, mode=%s, holding=%s, origin=%s, instance=%s, host=%s, pid=%s, thread=%s, "
				+ "since=%s, session=0x%x, token=%d, text=%s]")
			.formatted(shown(this.node), this.mode, this.holding, this.origin, shown(this.instance), shown(this.host),
					this.pid, shown(this.thread), this.since, this.session, this.token, shown(this.text));
	}

	private static @Nullable String shown(@Nullable String text) {
		return (text != null) ? LockNames.shown(text) : null;
	}

	/**
	 * Who has made a node.
	 */
	public enum Origin {

		/**
		 * This very instance.
		 */
		SELF,

		/**
		 * Another instance of zk-lock.
		 */
		PEER,

		/**
		 * Another client, for example Curator.
		 */
		FOREIGN

	}

}
