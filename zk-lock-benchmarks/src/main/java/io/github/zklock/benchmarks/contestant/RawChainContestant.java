package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import org.apache.zookeeper.ZooKeeper;

/**
 * The least that a hand-over costs: one deletion and one notification. Each node watches
 * the one with the number before its own, without looking for it. That is no lock to use,
 * as it breaks when a waiter gives up.
 */
final class RawChainContestant implements Contestant {

	@Override
	public String name() {
		return "raw hand-over";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.QUEUE, Capability.TRY, Capability.ELECTION);
	}

	@Override
	public boolean isLimit() {
		return true;
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		return RecipeClient.open(connectString, sessionTimeout, root,
				(zooKeeper, path) -> new Link(zooKeeper, new SequentialNode(zooKeeper, path)));
	}

	private record Link(ZooKeeper zooKeeper, SequentialNode node) implements MeasuredLock {

		@Override
		public void acquire() throws Exception {
			Deletion.await(this.zooKeeper, this.node.before(this.node.create()));
		}

		@Override
		public boolean tryAcquire() throws Exception {
			if (!this.zooKeeper.getChildren(this.node.parent(), false).isEmpty()) {
				return false;
			}
			this.node.create();
			return true;
		}

		@Override
		public void release() throws Exception {
			this.node.delete();
		}

	}

}
