package io.github.zklock.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

import static org.awaitility.Awaitility.await;

/**
 * A connected ZooKeeper client that remembers its session's states.
 */
final class TestClient implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	private final List<KeeperState> states = new CopyOnWriteArrayList<>();

	private final ZooKeeper zooKeeper;

	private TestClient(String connectString, Duration sessionTimeout) throws IOException {
		this.zooKeeper = new ZooKeeper(connectString, Math.toIntExact(sessionTimeout.toMillis()),
				(event) -> this.states.add(event.getState()));
	}

	static TestClient connect(String connectString) throws IOException {
		return connect(connectString, Duration.ofSeconds(10));
	}

	static TestClient connect(String connectString, Duration sessionTimeout) throws IOException {
		TestClient client = new TestClient(connectString, sessionTimeout);
		client.awaitState(KeeperState.SyncConnected);
		return client;
	}

	/**
	 * Name a server twice. A client that knows one server only waits a second before it
	 * tries it again.
	 */
	static String twice(String connectString) {
		return connectString + "," + connectString;
	}

	/**
	 * Connect with a session that may be over soon.
	 */
	static TestClient connectOnce(String connectString, Duration sessionTimeout) throws IOException {
		TestClient client = new TestClient(connectString, sessionTimeout);
		client.awaitSeen(KeeperState.SyncConnected);
		return client;
	}

	/**
	 * Wait until the last state is the given one.
	 */
	void awaitState(KeeperState state) {
		await("%s as the last of the states".formatted(state)).atMost(PATIENCE)
			.failFast("session expired",
					() -> state != KeeperState.Expired && this.states.contains(KeeperState.Expired))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> !this.states.isEmpty() && this.states.get(this.states.size() - 1) == state);
	}

	/**
	 * Wait until the server has been reached again, be it only to hear that the session
	 * is over.
	 */
	void awaitBack() {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> state() == KeeperState.SyncConnected || state() == KeeperState.Expired);
	}

	/**
	 * Wait until a state has been seen.
	 */
	void awaitSeen(KeeperState state) {
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> this.states.contains(state));
	}

	ZooKeeper zooKeeper() {
		return this.zooKeeper;
	}

	KeeperState state() {
		return this.states.get(this.states.size() - 1);
	}

	String create(String path, CreateMode mode) throws KeeperException, InterruptedException {
		return this.zooKeeper.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, mode);
	}

	CompletableFuture<Code> createAsync(String path, CreateMode mode) {
		CompletableFuture<Code> code = new CompletableFuture<>();
		this.zooKeeper.create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, mode,
				(rc, requested, context, name) -> code.complete(Code.get(rc)), null);
		return code;
	}

	CompletableFuture<Code> existsAsync(String path) {
		CompletableFuture<Code> code = new CompletableFuture<>();
		this.zooKeeper.exists(path, false, (rc, requested, context, stat) -> code.complete(Code.get(rc)), null);
		return code;
	}

	@Override
	public void close() throws InterruptedException {
		this.zooKeeper.close();
	}

}
