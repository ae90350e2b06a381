package io.github.zklock.embedded;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * View of a server that runs in this JVM. Sends it no packets.
 */
final class InProcessView implements ServerView {

	private final Supplier<ZooKeeperServer> server;

	InProcessView(Supplier<ZooKeeperServer> server) {
		this.server = server;
	}

	private DataTree tree() {
		return this.server.get().getZKDatabase().getDataTree();
	}

	@Override
	public long watchCount() {
		return tree().getWatchCount();
	}

	@Override
	public long ephemeralCount() {
		return tree().getEphemeralsCount();
	}

	@Override
	public long packetsReceived() {
		return this.server.get().serverStats().getPacketsReceived();
	}

	@Override
	public long packetsSent() {
		return this.server.get().serverStats().getPacketsSent();
	}

	@Override
	public long connectionCount() {
		return this.server.get().getNumAliveConnections();
	}

	@Override
	public Set<Long> sessions() {
		return Set.copyOf(this.server.get().getZKDatabase().getSessionWithTimeOuts().keySet());
	}

	@Override
	public List<String> ephemerals(long sessionId) {
		return tree().getEphemerals(sessionId).stream().sorted().toList();
	}

	@Override
	public List<String> children(String path) {
		try {
			return tree().getChildren(path, null, null).stream().sorted().toList();
		}
		catch (NoNodeException ex) {
			return List.of();
		}
	}

}
