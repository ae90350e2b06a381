package io.github.zklock.benchmarks.contestant;

import java.util.concurrent.CountDownLatch;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * Waits until a node is gone.
 */
final class Deletion implements Watcher {

	private final CountDownLatch gone = new CountDownLatch(1);

	private Deletion() {
	}

	/**
	 * Wait until a node is gone, if it is there.
	 */
	static void await(ZooKeeper zooKeeper, String path) throws KeeperException, InterruptedException {
		Deletion deletion = new Deletion();
		if (zooKeeper.exists(path, deletion) != null) {
			deletion.gone.await();
		}
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getType() == Event.EventType.NodeDeleted) {
			this.gone.countDown();
		}
	}

}
