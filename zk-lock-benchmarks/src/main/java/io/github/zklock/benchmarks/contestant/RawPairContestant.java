package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * The least that a lock costs which nobody else wants: one node made and deleted. Keeps
 * nobody out.
 */
final class RawPairContestant implements Contestant {

	@Override
	public String name() {
		return "raw create+delete";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.CYCLE, Capability.READ_WRITE);
	}

	@Override
	public boolean isLimit() {
		return true;
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		return RecipeClient.open(connectString, sessionTimeout, root,
				(zooKeeper, path) -> new Pair(new SequentialNode(zooKeeper, path)));
	}

	private record Pair(SequentialNode node) implements MeasuredLock {

		@Override
		public void acquire() throws Exception {
			this.node.create();
		}

		@Override
		public void release() throws Exception {
			this.node.delete();
		}

	}

}
