package io.github.zklock.benchmarks.contestant;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * A client of a recipe that is written straight on ZooKeeper's own API.
 */
final class RecipeClient implements Client {

	static final byte[] NO_DATA = {};

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(60);

	private final ZooKeeper zooKeeper;

	private final String root;

	private final BiFunction<ZooKeeper, String, MeasuredLock> recipe;

	private RecipeClient(ZooKeeper zooKeeper, String root, BiFunction<ZooKeeper, String, MeasuredLock> recipe) {
		this.zooKeeper = zooKeeper;
		this.root = root;
		this.recipe = recipe;
	}

	/**
	 * Connect.
	 * @param recipe makes a lock from the handle and the path of a persistent node
	 */
	static RecipeClient open(String connectString, Duration sessionTimeout, String root,
			BiFunction<ZooKeeper, String, MeasuredLock> recipe) throws Exception {
		CountDownLatch connected = new CountDownLatch(1);
		ZooKeeper zooKeeper = new ZooKeeper(connectString, Math.toIntExact(sessionTimeout.toMillis()), (event) -> {
			if (event.getState() == KeeperState.SyncConnected) {
				connected.countDown();
			}
		});
		if (!connected.await(CONNECT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
			zooKeeper.close();
			throw new IllegalStateException("No connection to " + connectString);
		}
		return new RecipeClient(zooKeeper, root, recipe);
	}

	@Override
	public MeasuredLock lock(String name) throws Exception {
		String path = this.root + "/" + name;
		if (this.zooKeeper.exists(path, false) == null) {
			ensureNode(this.root);
			ensureNode(path);
		}
		return this.recipe.apply(this.zooKeeper, path);
	}

	private void ensureNode(String path) throws Exception {
		try {
			this.zooKeeper.create(path, NO_DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		}
		catch (NodeExistsException ex) {
			// made by another client
		}
	}

	@Override
	public MeasuredLock readLock(String name) throws Exception {
		return lock(name);
	}

	@Override
	public MeasuredLock writeLock(String name) throws Exception {
		return lock(name);
	}

	@Override
	public void close() throws Exception {
		this.zooKeeper.close();
	}

}
