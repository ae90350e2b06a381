package io.github.zklock.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.github.zklock.AnsweredLocks;
import io.github.zklock.LockLease;
import io.github.zklock.LockProbe;
import io.github.zklock.LockRegistry;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.EmbeddedZooKeeperTest;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.testing.CallerTestSupport;
import io.github.zklock.testing.LockRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.AfterEach;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server, an instance with a template, another instance, and threads. Whatever a test
 * does, its thread keeps no lock, no interrupt and no knowledge of locks.
 */
@EmbeddedZooKeeperTest
abstract class BlockingCallTestSupport extends CallerTestSupport {

	/**
	 * A session timeout for tests in which sessions do not end.
	 */
	static final Duration LONG_SESSION = Duration.ofSeconds(30);

	private final String chroot;

	private final EmbeddedZooKeeper server;

	private final List<AutoCloseable> resources = new ArrayList<>();

	/**
	 * What the template's instance has heard of its locks.
	 */
	final LockRecorder events = new LockRecorder();

	final ZooKeeperLocks locks;

	final ZooKeeperLocks elsewhere;

	final LockTemplate template;

	BlockingCallTestSupport(EmbeddedZooKeeper server, @ConnectString String connectString) {
		this.server = server;
		this.chroot = connectString.substring(connectString.indexOf('/'));
		this.locks = closing(builder(server.connectString(), LONG_SESSION).listener(this.events).build());
		this.elsewhere = registry();
		this.template = template(this.locks);
		// Who does not want to wait has no time for that
		this.locks.zooKeeper();
		this.elsewhere.zooKeeper();
	}

	@AfterEach
	void leavesNothingBehind() throws Exception {
		assertThat(Thread.interrupted()).as("interrupted").isFalse();
		assertThat(LockStack.current()).as("current lock").isNull();
		assertThat(this.locks.held()).as("held").isEmpty();
		assertThat(this.locks.waiting()).as("waiting").isEmpty();
		this.callers.close();
		for (int index = this.resources.size() - 1; index >= 0; index--) {
			this.resources.get(index).close();
		}
		await().atMost(PATIENCE).until(() -> this.server.view().ephemeralCount() == 0);
	}

	<T extends AutoCloseable> T closing(T resource) {
		this.resources.add(resource);
		return resource;
	}

	ZooKeeperLocks registry() {
		return closing(builder(serverAddress(), LONG_SESSION).build());
	}

	String serverAddress() {
		return this.server.connectString();
	}

	FaultProxy proxy() {
		return closing(FaultProxy.to(serverAddress()));
	}

	ZooKeeperLocks.Builder builder(String address, Duration sessionTimeout) {
		return ZooKeeperLocks.builder(address + this.chroot)
			.sessionTimeout(sessionTimeout)
			.connectTimeout(PATIENCE)
			.serverTick(Duration.ofMillis(500))
			.closeWait(Duration.ZERO);
	}

	static LockTemplate template(LockRegistry registry) {
		return new LockTemplate(new AnsweredLocks(registry), PATIENCE, Runnable::run);
	}

	/**
	 * Return whether another instance can have a lock now.
	 */
	boolean isFree(String name) {
		return LockProbe.answered(() -> {
			boolean free = this.elsewhere.lock(name).tryLock();
			if (free) {
				this.elsewhere.lock(name).unlock();
			}
			return free;
		});
	}

	/**
	 * Let another instance hold a lock.
	 */
	LockLease occupy(String name) {
		try {
			return this.elsewhere.lock(name).acquire();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Let the template's instance lose a lock. Done on another thread, because the
	 * current one may be interrupted for it.
	 */
	void lose(String name) {
		CompletableFuture<Boolean> broken = call(() -> this.locks.breakLock(name));
		spinUntil(broken::isDone);
		assertThat(broken.join()).isTrue();
	}

	/**
	 * Let the template's instance lose a lock soon.
	 */
	void loseMeanwhile(String name) {
		call(() -> this.locks.breakLock(name));
	}

	/**
	 * Wait on this very thread, and without reacting to interrupts.
	 */
	static void spinUntil(BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
			Thread.onSpinWait();
		}
	}

	void awaitWaiting(String name) {
		awaitClosely().until(() -> this.locks.waiting().stream().anyMatch((lock) -> lock.name().equals(name)));
	}

}
