package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.testing.Callers;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Sessions that end in strange ways, and many callers.
 */
class SessionTests extends LockTestSupport {

	SessionTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * A session whose event thread is gone lives on for the server, and is deaf.
	 */
	@Test
	@Tag("H39")
	@Tag("H48")
	void deadEventThreadIsNoticed() throws Exception {
		ZooKeeperLocks locks = closing(builder(server().connectString(), Duration.ofSeconds(4)).build());
		LockLease lease = locks.lock("lock").acquire();
		ZooKeeper deaf = locks.zooKeeper();
		Thread eventThread = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("zk-lock-" + locks.instance() + "-EventThread"))
			.findFirst()
			.orElseThrow();
		eventThread.interrupt();
		eventThread.join(PATIENCE.toMillis());
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		locks.lock("lock").acquire().close();
		assertThat(locks.zooKeeper()).isNotSameAs(deaf);
	}

	@Test
	@Tag("H49")
	void wrongCredentialsFailAllWhoWait() {
		ZooKeeperLocks locks = closing(builder().authInfo("no-such-scheme", "secret").build());
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.lock("lock").tryAcquire(PATIENCE))
			.withMessageContaining("'lock'")
			.withMessageContaining("credentials")
			.withMessageNotContaining("secret");
		assertThat(locks.lock("lock").acquireAsync(PATIENCE)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	/**
	 * A delete that is sent again must not meet a stranger's node.
	 */
	@Test
	@Tag("H11")
	void lateDeleteDoesNotFreeAStrangersLock() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = registry(proxy);
		ZooKeeperLocks stranger = warmUp(registry(), "other");
		LockLease lease = locks.lock("lock").acquire();
		FaultProxy.Trigger cut = proxy.cutAfter(Operation.DELETE, 1);
		lease.close();
		assertThat(cut.await(PATIENCE)).isTrue();
		proxy.refuse();
		stranger.zooKeeper().delete(parent("lock"), -1);
		try (LockLease theirs = stranger.lock("lock").acquire()) {
			proxy.heal();
			locks.lock("another").acquire().close();
			assertThat(nodes("lock")).hasSize(1);
			assertThat(theirs.isHeld()).isTrue();
		}
	}

	@Test
	@Tag("H06")
	@Tag("H87")
	void stormOfExpiriesLeavesOneHolderAtATime() throws Exception {
		ZooKeeperLocks locks = closing(builder(server().connectString(), Duration.ofSeconds(4)).build());
		NamedLock lock = locks.lock("lock");
		AtomicInteger grants = new AtomicInteger();
		CompletableFuture<Void> user = call(() -> {
			while (grants.get() < 200) {
				try {
					lock.lock();
					grants.incrementAndGet();
					lock.unlock();
				}
				catch (LockException ex) {
					assertThat(ex.name()).isEqualTo("lock");
				}
			}
			return null;
		});
		for (int round = 0; round < 5; round++) {
			Sessions.expire(locks.zooKeeper());
			int before = grants.get();
			await().atMost(PATIENCE).until(() -> grants.get() > before || grants.get() >= 200);
		}
		get(user);
		awaitNodes("lock", 0);
	}

	@Test
	@Tag("H50")
	void fiftyThreadsShareOneLock() throws Exception {
		shareOneLock(this::call);
	}

	/**
	 * On a JDK that has them; on an older one, the same with the threads it has.
	 */
	@Test
	void virtualThreadsShareOneLock() throws Exception {
		shareOneLock((task) -> Callers.call((runnable) -> newVirtualThread(runnable).start(), task));
	}

	private interface Starter {

		CompletableFuture<Void> start(Callable<Void> task);

	}

	private void shareOneLock(Starter starter) throws Exception {
		NamedLock lock = registry().lock("shared");
		NamedLock elsewhere = registry().lock("shared");
		int[] counter = new int[1];
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int thread = 0; thread < 50; thread++) {
			NamedLock own = (thread % 10 == 0) ? elsewhere : lock;
			threads.add(starter.start(() -> {
				for (int round = 0; round < 20; round++) {
					own.lock();
					counter[0]++;
					own.unlock();
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> thread : threads) {
			get(thread);
		}
		assertThat(counter[0]).isEqualTo(50 * 20);
		assertThat(nodes("shared")).isEmpty();
	}

	private static Thread newVirtualThread(Runnable task) {
		try {
			Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
			return (Thread) Class.forName("java.lang.Thread$Builder")
				.getMethod("unstarted", Runnable.class)
				.invoke(builder, task);
		}
		catch (ReflectiveOperationException ex) {
			return new Thread(task);
		}
	}

}
