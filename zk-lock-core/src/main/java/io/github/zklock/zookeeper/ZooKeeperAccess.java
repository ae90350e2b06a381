package io.github.zklock.zookeeper;

import java.util.List;

import io.github.zklock.engine.NodeAccess;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.ClientInfo;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The access control list of a node.
 *
 * @param zooKeeper knows who we are
 * @param rules who was meant to do what
 * @param acl the list
 * @param stat the state of the node
 */
record ZooKeeperAccess(ZooKeeper zooKeeper, AccessRules rules, List<ACL> acl, Stat stat) implements NodeAccess {

	@Override
	public String strangers() {
		return AccessRules.describe(this.rules.strangers(this.acl));
	}

	@Override
	public boolean hasOthers() {
		return !this.rules.notNamed(this.acl).isEmpty();
	}

	/**
	 * Describe those who are not this application. If the server has not told who we are,
	 * nobody is. The client can ask that only by waiting for the answer.
	 */
	@Override
	public String describeOthers() {
		List<ClientInfo> own = whoAmI();
		if (own == null) {
			return "";
		}
		return AccessRules.describe(this.rules.notNamed(this.acl)
			.stream()
			.filter((entry) -> own.stream()
				.noneMatch((info) -> entry.getId().getScheme().equals(info.getAuthScheme())
						&& AccessRules.user(entry.getId()).equals(info.getUser())))
			.toList());
	}

	private @Nullable List<ClientInfo> whoAmI() {
		try {
			return this.zooKeeper.whoAmI();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	@Override
	public boolean isComplete() {
		return !AccessRules.hidesDigests(this.acl);
	}

	@Override
	public boolean isEmpty() {
		return this.stat.getNumChildren() == 0;
	}

}
