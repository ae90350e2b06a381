package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.apache.zookeeper.ZooKeeper;

/**
 * The recipe of ZooKeeper's documentation, word by word.
 */
final class NaiveContestant implements Contestant {

	@Override
	public String name() {
		return "naive recipe";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.CYCLE, Capability.QUEUE, Capability.ELECTION);
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		return RecipeClient.open(connectString, sessionTimeout, root,
				(zooKeeper, path) -> new Naive(zooKeeper, new SequentialNode(zooKeeper, path)));
	}

	private record Naive(ZooKeeper zooKeeper, SequentialNode node) implements MeasuredLock {

		@Override
		public void acquire() throws Exception {
			String parent = this.node.parent();
			String own = this.node.create().substring(parent.length() + 1);
			while (true) {
				List<String> queue = this.zooKeeper.getChildren(parent, false).stream().sorted().toList();
				int place = queue.indexOf(own);
				if (place == 0) {
					return;
				}
				Deletion.await(this.zooKeeper, parent + "/" + queue.get(place - 1));
			}
		}

		@Override
		public void release() throws Exception {
			this.node.delete();
		}

	}

}
