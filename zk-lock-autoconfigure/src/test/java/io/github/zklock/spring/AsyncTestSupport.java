package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockLease;
import io.github.zklock.LockProbe;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.testing.CallerTestSupport;
import io.github.zklock.testing.Callers;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterEach;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server, a registry, another one as the rest of the world, and threads. In the end
 * nothing may be left on the server.
 */
@EmbeddedZooKeeperTest
abstract class AsyncTestSupport extends CallerTestSupport {

	private static final Duration LONG_RACES = Duration.ofSeconds(30);

	private final EmbeddedZooKeeper server;

	private final String chroot;

	private final List<AutoCloseable> resources = new ArrayList<>();

	/**
	 * Whose locks the tests take.
	 */
	final ZooKeeperLocks locks;

	final ZooKeeperLocks elsewhere;

	AsyncTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(new Callers("body"));
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
		this.callers.close();
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
		awaitClosely().untilAsserted(() -> assertThat(nodes(name)).hasSize(count));
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
		assertThat(Patience.await(lost)).isTrue();
	}

	/**
	 * Return whether races have taken so long that a slow machine need not run more of
	 * them.
	 */
	static boolean isLongSince(long startNanos) {
		return System.nanoTime() - startNanos > LONG_RACES.toNanos();
	}

	static void spin(int rounds) {
		for (int round = 0; round < 10 * rounds; round++) {
			Thread.onSpinWait();
		}
	}

}
