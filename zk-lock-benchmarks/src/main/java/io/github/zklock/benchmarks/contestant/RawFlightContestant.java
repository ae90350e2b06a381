package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * The least that a lock costs which nobody else wants, and which finds that out in one
 * round trip: a node is made and its siblings are listed in one flight, by the client's
 * asynchronous calls, and then it is deleted. Keeps nobody out.
 */
final class RawFlightContestant implements Contestant {

	@Override
	public String name() {
		return "raw flight";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.CYCLE);
	}

	@Override
	public boolean isLimit() {
		return true;
	}

	@Override
	public Client open(String connectString, Duration sessionTimeout, String root) throws Exception {
		return RecipeClient.open(connectString, sessionTimeout, root, Flight::new);
	}

	private static final class Flight implements MeasuredLock {

		private final ZooKeeper zooKeeper;

		private final String parent;

		private String path = "";

		Flight(ZooKeeper zooKeeper, String parent) {
			this.zooKeeper = zooKeeper;
			this.parent = parent;
		}

		@Override
		public void acquire() throws Exception {
			CompletableFuture<String> created = new CompletableFuture<>();
			CompletableFuture<Integer> listed = new CompletableFuture<>();
			this.zooKeeper.create(this.parent + "/lock-", RecipeClient.NO_DATA, Ids.OPEN_ACL_UNSAFE,
					CreateMode.EPHEMERAL_SEQUENTIAL, (code, prefix, context, node) -> complete(created, code, node),
					null);
			this.zooKeeper.getChildren(this.parent, false, (code, listedPath, context, children,
					stat) -> complete(listed, code, (code == 0) ? children.size() : 0), null);
			if (listed.get() != 1) {
				throw new IllegalStateException("Somebody else is there: " + this.parent);
			}
			this.path = created.get();
		}

		@Override
		public void release() throws Exception {
			CompletableFuture<Boolean> deleted = new CompletableFuture<>();
			this.zooKeeper.delete(this.path, -1, (code, node, context) -> complete(deleted, code, true), null);
			deleted.get();
		}

		private static <T> void complete(CompletableFuture<T> future, int code, T value) {
			if (code == Code.OK.intValue()) {
				future.complete(value);
			}
			else {
				future.completeExceptionally(KeeperException.create(Code.get(code)));
			}
		}

	}

}
