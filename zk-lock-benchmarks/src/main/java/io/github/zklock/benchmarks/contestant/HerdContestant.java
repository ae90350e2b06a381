package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * The lock that does not scale: everybody tries to make one node, and everybody who waits
 * is woken when it goes.
 */
final class HerdContestant implements Contestant {

	@Override
	public String name() {
		return "herd lock";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.CYCLE, Capability.QUEUE, Capability.TRY);
	}

	@Override
	public boolean isScalable() {
		return false;
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		return RecipeClient.open(connectString, sessionTimeout, root,
				(zooKeeper, path) -> new Herd(zooKeeper, path + "/lock"));
	}

	private record Herd(ZooKeeper zooKeeper, String path) implements MeasuredLock {

		@Override
		public void acquire() throws Exception {
			while (!tryAcquire()) {
				Deletion.await(this.zooKeeper, this.path);
			}
		}

		@Override
		public boolean tryAcquire() throws Exception {
			try {
				this.zooKeeper.create(this.path, RecipeClient.NO_DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
				return true;
			}
			catch (NodeExistsException ex) {
				return false;
			}
		}

		@Override
		public void release() throws Exception {
			this.zooKeeper.delete(this.path, -1);
		}

	}

}
