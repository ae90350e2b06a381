package io.github.zklock.benchmarks.contestant;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The node that stands for a place in a queue.
 */
final class SequentialNode {

	private static final String PREFIX = "/lock-";

	private final ZooKeeper zooKeeper;

	private final String parent;

	private volatile @Nullable String path;

	SequentialNode(ZooKeeper zooKeeper, String parent) {
		this.zooKeeper = zooKeeper;
		this.parent = parent;
	}

	String parent() {
		return this.parent;
	}

	/**
	 * Make the node.
	 * @return its whole path
	 */
	String create() throws KeeperException, InterruptedException {
		String created = this.zooKeeper.create(this.parent + PREFIX, RecipeClient.NO_DATA, Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL_SEQUENTIAL);
		this.path = created;
		return created;
	}

	/**
	 * Return the path of the node that was made before another one.
	 */
	String before(String path) {
		int digits = this.parent.length() + PREFIX.length();
		return "%s%s%010d".formatted(this.parent, PREFIX, Integer.parseInt(path.substring(digits)) - 1);
	}

	void delete() throws KeeperException, InterruptedException {
		String created = this.path;
		if (created == null) {
			throw new IllegalMonitorStateException("Not held: " + this.parent);
		}
		this.path = null;
		this.zooKeeper.delete(created, -1);
	}

}
