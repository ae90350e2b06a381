package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.LockProbe;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server, a registry, another one as the rest of the world, and threads. In the end
 * nothing may be left on the server.
 */
@EmbeddedZooKeeperTest
abstract class AsyncTestSupport {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	private final EmbeddedZooKeeper server;

	private final String chroot;

	private final List<AutoCloseable> resources = new ArrayList<>();

	final ExecutorService threads = Executors.newCachedThreadPool((task) -> new Thread(task, "body"));

	/**
	 * Whose locks the tests take.
	 */
	final ZooKeeperLocks locks;

	final ZooKeeperLocks elsewhere;

	AsyncTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		this.server = server;
		this.chroot = connectString.substring(connectString.indexOf('/'));
		this.locks = closing(registry(server.connectString(), Duration.ofSeconds(30)));
		this.elsewhere = closing(registry(server.connectString(), Duration.ofSeconds(30)));
		// Who does not want to wait has no time for that
		this.locks.zooKeeper();
		this.elsewhere.zooKeeper();
	}

	FaultProxy proxy() {
		return closing(FaultProxy.to(this.server.connectString()));
	}

	ZooKeeperLocks registry(String address, Duration sessionTimeout) {
		return ZooKeeperLocks.builder(address + this.chroot)
			.sessionTimeout(sessionTimeout)
			.connectTimeout(PATIENCE)
			.serverTick(Duration.ofMillis(500))
			.closeWait(Duration.ZERO)
			.build();
	}

	@AfterEach
	void closeAll() throws Exception {
		this.threads.shutdownNow();
		for (int index = this.resources.size() - 1; index >= 0; index--) {
			this.resources.get(index).close();
		}
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.view().ephemeralCount()).isZero());
	}

	<C extends AutoCloseable> C closing(C resource) {
		this.resources.add(resource);
		return resource;
	}

	List<String> nodes(String name) {
		return this.server.view().children(this.chroot + "/zk-lock/locks/" + name);
	}

	void awaitNodes(String name, int count) {
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(nodes(name)).hasSize(count));
	}

	/**
	 * Nobody holds the lock or waits for it, and it can be had.
	 */
	void awaitFree(String name) throws Exception {
		// What was given up before it was asked for may come and go once more
		await().atMost(PATIENCE).until(() -> LockProbe.isFree(this.elsewhere, name));
		awaitNodes(name, 0);
	}

	void assertFree(String name) throws Exception {
		assertThat(LockProbe.isFree(this.elsewhere, name)).as("free").isTrue();
	}

	void assertHeld(String name) throws Exception {
		assertThat(LockProbe.isFree(this.elsewhere, name)).as("free").isFalse();
	}

	/**
	 * Lose a lock that is held, because somebody breaks it.
	 */
	void lose(LockLease lease) throws InterruptedException {
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		assertThat(this.locks.breakLock(lease.name())).isTrue();
		assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
	}

	/**
	 * Return a result that may need many steps to be there.
	 */
	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(4 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Return whether races have taken so long that a slow machine need not run more of
	 * them.
	 */
	static boolean isLongSince(long startNanos) {
		return System.nanoTime() - startNanos > PATIENCE.toNanos();
	}

	static void spin(int rounds) {
		for (int round = 0; round < 10 * rounds; round++) {
			Thread.onSpinWait();
		}
	}

}
