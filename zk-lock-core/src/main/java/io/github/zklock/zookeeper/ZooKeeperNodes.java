package io.github.zklock.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.github.zklock.engine.NodeEvents;
import io.github.zklock.engine.NodeSession;
import io.github.zklock.engine.NodeStore;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are kept by ZooKeeper.
 */
final class ZooKeeperNodes implements NodeStore {

	private final String address;

	private final ZooKeeperFactory factory;

	private final AccessRules rules;

	private final @Nullable String chroot;

	private final Supplier<@Nullable ServerAddresses> servers;

	/**
	 * Create a store.
	 * @param address where ZooKeeper is, for messages
	 * @param factory makes the handles
	 * @param servers gives the servers of the latest handle, null if they are not known
	 * @param acl who may do what with the nodes
	 * @param chroot what the servers put before each path, null if that is not known
	 */
	ZooKeeperNodes(String address, ZooKeeperFactory factory, Supplier<@Nullable ServerAddresses> servers, List<ACL> acl,
			@Nullable String chroot) {
		this.address = address;
		this.factory = factory;
		this.servers = servers;
		this.rules = new AccessRules(acl);
		this.chroot = chroot;
	}

	@Override
	public NodeSession open(NodeEvents events) throws IOException {
		return new ZooKeeperSession(events, this.rules, this.chroot).open(this.factory);
	}

	@Override
	public String name() {
		return "ZooKeeper";
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public boolean isOpen() {
		return this.rules.isOpen();
	}

	@Override
	public int prefixBytes() {
		return (this.chroot != null) ? this.chroot.getBytes(StandardCharsets.UTF_8).length : 0;
	}

	@Override
	public @Nullable String server() {
		ServerAddresses latest = this.servers.get();
		return (latest != null) ? latest.connected() : null;
	}

	@Override
	public Set<String> unknownHosts() {
		ServerAddresses latest = this.servers.get();
		return (latest != null) ? latest.unknownHosts() : Set.of();
	}

}
