package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.github.zklock.LockLease;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.testing.CallerTestSupport;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.Options;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server, a root, registries that are closed in the end, and threads for callers.
 */
@EmbeddedZooKeeperTest
abstract class LockTestSupport extends CallerTestSupport {

	/**
	 * A session timeout for tests in which sessions do not end.
	 */
	static final Duration LONG_SESSION = Duration.ofSeconds(30);

	/**
	 * A session timeout for tests that count what is sent: the first tick, with its
	 * heartbeat and its watches, comes after more than a minute. What the server grants
	 * is less.
	 */
	static final Duration SESSION_WITHOUT_TICKS = Duration.ofMinutes(10);

	/**
	 * How long ZooKeeper has by default to answer a request that does not wait. In tests
	 * it has more time, unless they say so.
	 */
	static final Duration ANSWER_TIME = Duration.ofMillis(500);

	private static final int VERY_LONG_MILLIS = 600_000;

	private final EmbeddedZooKeeper server;

	private final String chroot;

	private final List<AutoCloseable> resources = new ArrayList<>();

	LockTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		this.server = server;
		this.chroot = connectString.substring(connectString.indexOf('/'));
	}

	@AfterEach
	void closeAll() throws Exception {
		this.callers.close();
		for (int index = this.resources.size() - 1; index >= 0; index--) {
			this.resources.get(index).close();
		}
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.server.view().ephemeralCount()).isZero());
	}

	EmbeddedZooKeeper server() {
		return this.server;
	}

	/**
	 * The root of the test, which clients see as "/".
	 */
	String chroot() {
		return this.chroot;
	}

	static LockEngine engine(LockEngine locks) {
		return locks;
	}

	static SessionKeeper keeper(LockEngine locks) {
		return locks.keeper();
	}

	<T extends AutoCloseable> T closing(T resource) {
		this.resources.add(resource);
		return resource;
	}

	ZooKeeperLocks.Builder builder() {
		return builder(this.server.connectString(), LONG_SESSION);
	}

	/**
	 * Describe a registry whose client knows its server twice. One that knows it once
	 * waits a second before it tries it again.
	 */
	ZooKeeperLocks.Builder builder(String address, Duration sessionTimeout) {
		return ZooKeeperLocks.builder(address + "," + address + this.chroot)
			.sessionTimeout(sessionTimeout)
			.connectTimeout(PATIENCE)
			.answerTimeout(PATIENCE)
			.serverTick(Duration.ofMillis(500))
			.closeWait(Duration.ZERO);
	}

	/**
	 * Describe a registry with options that only tests have.
	 */
	static ZooKeeperLocks.Builder with(ZooKeeperLocks.Builder builder, Consumer<EngineSettings> options) {
		options.accept(Options.of(builder));
		return builder;
	}

	ZooKeeperLocks registry() {
		return closing(builder().build());
	}

	ZooKeeperLocks registry(FaultProxy proxy) {
		return registry(proxy, LONG_SESSION);
	}

	ZooKeeperLocks registry(FaultProxy proxy, Duration sessionTimeout) {
		return closing(builder(proxy.connectString(), sessionTimeout).build());
	}

	FaultProxy proxy() {
		return closing(FaultProxy.to(this.server.connectString()));
	}

	String parent(String name) {
		return LockPath.of("/zk-lock", "locks", name).parent();
	}

	/**
	 * The nodes that contend for a lock, as the server sees them.
	 */
	List<String> nodes(String name) {
		return this.server.view().children(this.chroot + parent(name));
	}

	void awaitNodes(String name, int count) {
		awaitClosely().untilAsserted(() -> assertThat(nodes(name)).hasSize(count));
	}

	CompletableFuture<LockLease> acquire(NamedLock lock) {
		return call(lock::acquire);
	}

	/**
	 * Connect, and create the parents of a lock, so that later traffic is the lock's own.
	 */
	static ZooKeeperLocks warmUp(ZooKeeperLocks locks, String name) throws Exception {
		locks.lock(name).acquire().close();
		return locks;
	}

	/**
	 * Let a connected registry hear everything that was on its way, and do what follows.
	 */
	static void settle(ZooKeeperLocks locks) throws Exception {
		for (int roundTrip = 0; roundTrip < 3; roundTrip++) {
			hear(locks);
		}
	}

	/**
	 * Let a connected registry hear everything that was on its way.
	 */
	static void hear(ZooKeeperLocks locks) throws Exception {
		CompletableFuture<Void> heard = new CompletableFuture<>();
		locks.zooKeeper()
			.exists("/", false, (rc, path, context, stat) -> keeper(locks).loop().execute(() -> heard.complete(null)),
					null);
		get(heard);
	}

	/**
	 * End a session whose client hears nothing of it, unless the server has done so
	 * already, as it may on a slow machine.
	 */
	void expireOnServer(ZooKeeper victim) throws Exception {
		try {
			Sessions.expire(victim, server().connectString());
		}
		catch (IllegalStateException ex) {
			assertThat(server().view().sessions()).doesNotContain(victim.getSessionId());
		}
	}

	/**
	 * Have the server keep a session of which it hears nothing any more.
	 */
	void keepOnServer(long session) {
		assertThat(server().server().getSessionTracker().touchSession(session, VERY_LONG_MILLIS)).isTrue();
	}

	/**
	 * Let a registry watch the nodes of what it holds, as it does at its next tick.
	 */
	static void watchOwnNodes(ZooKeeperLocks locks) throws Exception {
		keeper(locks).dependents().forEach(Dependent::tick);
		settle(locks);
	}

	/**
	 * Let a client believe that its session has expired. It says so before its handle is
	 * dead, and whoever hears that in between would close the session on the server, too.
	 */
	static void expireInClient(ZooKeeperLocks locks, ZooKeeper handle) throws Exception {
		CompletableFuture<Void> done = new CompletableFuture<>();
		keeper(locks).loop().execute(() -> {
			handle.getTestable().injectSessionExpiration();
			done.complete(null);
		});
		get(done);
	}

	/**
	 * Wait until the session may not believe any more that it lives.
	 */
	static void awaitLeaseEnd(ZooKeeperLocks locks) {
		awaitClosely().until(() -> {
			Session session = keeper(locks).connectedSession();
			return session == null || session.lease().currentTerm() == Lease.NONE;
		});
	}

	static void awaitConnected(ZooKeeperLocks locks) {
		awaitClosely().until(() -> keeper(locks).connectedSession() != null);
	}

	static void awaitDisconnected(ZooKeeperLocks locks) {
		awaitClosely().until(() -> keeper(locks).connectedSession() == null);
	}

	/**
	 * Wait on a thread that nobody interrupts, such as the event loop.
	 */
	static void awaitQuietly(CountDownLatch latch) {
		try {
			assertThat(Patience.await(latch)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
