package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.server.DataNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Numbers that run out, lists that are too long, and timeouts that are too short.
 */
class LimitTests extends LockTestSupport {

	LimitTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * Have the server believe that a parent has had so many children.
	 */
	private void setCounter(String name, int counter) {
		DataNode parent = server().server().getZKDatabase().getNode(chroot() + parent(name));
		synchronized (parent) {
			parent.stat.setCversion(counter);
		}
	}

	@Test
	@Tag("H09")
	void queueStartsAgainLongBeforeItsNumbersRunOut() throws Exception {
		ZooKeeperLocks locks = closing(builder().sequenceLimit(20).build());
		List<Long> tokens = new ArrayList<>();
		for (int round = 0; round < 100; round++) {
			try (LockLease lease = locks.lock("lock").acquire()) {
				tokens.add(lease.fencingToken());
				assertThat(nodes("lock")).singleElement()
					.satisfies((node) -> assertThat(sequence(node)).isLessThan(20));
			}
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	private static long sequence(String node) {
		ContenderNode parsed = ContenderNode.parse(node);
		return (parsed != null) ? parsed.sequence() : -1;
	}

	@Test
	@Tag("H09")
	void drainedQueueServesThoseWhoAreInIt() throws Exception {
		ZooKeeperLocks locks = closing(builder().sequenceLimit(5).build());
		ZooKeeperLocks others = closing(builder().sequenceLimit(5).build());
		ZooKeeperLocks third = closing(builder().sequenceLimit(5).build());
		for (int round = 0; round < 4; round++) {
			locks.lock("lock").acquire().close();
		}
		LockLease last = locks.lock("lock").acquire();
		assertThat(nodes("lock")).singleElement().satisfies((node) -> assertThat(sequence(node)).isEqualTo(4));
		CompletableFuture<LockLease> draining = others.lock("lock").acquireAsync(PATIENCE);
		third.zooKeeper();
		CompletableFuture<LockLease> alsoDraining = third.lock("lock").acquireAsync(Duration.ofSeconds(3));
		assertThat(alsoDraining).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class);
		assertThat(third.lock("lock").tryLock()).isFalse();
		assertThat(draining).isNotDone();
		awaitNodes("lock", 1);
		last.close();
		try (LockLease lease = get(draining)) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).singleElement().satisfies((node) -> assertThat(sequence(node)).isLessThan(5));
		}
	}

	@Test
	@Tag("H09")
	void realCounterNearItsDefaultLimitStartsAgain() throws Exception {
		ZooKeeperLocks locks = warmUp(registry(), "lock");
		setCounter("lock", 1 << 30);
		try (LockLease lease = locks.lock("lock").acquire()) {
			assertThat(lease.fencingToken()).isPositive();
			assertThat(nodes("lock")).singleElement().satisfies((node) -> assertThat(sequence(node)).isZero());
		}
	}

	@Test
	@Tag("H09")
	void zeroWaitStartsAnIdleQueueAgainToo() throws Exception {
		ZooKeeperLocks locks = closing(builder().sequenceLimit(3).build());
		for (int round = 0; round < 3; round++) {
			locks.lock("lock").acquire().close();
		}
		await().atMost(PATIENCE).until(() -> {
			Optional<LockLease> lease = locks.lock("lock").tryAcquire(Duration.ZERO);
			lease.ifPresent(LockLease::close);
			return lease.isPresent();
		});
	}

	@Test
	@Tag("H09")
	void overflownQueueFailsClosed() throws Exception {
		ZooKeeperLocks locks = warmUp(registry(), "lock");
		NamedLock lock = locks.lock("lock");
		for (int counter : new int[] { Integer.MAX_VALUE - 10, Integer.MAX_VALUE, Integer.MAX_VALUE - (1 << 20) + 1 }) {
			setCounter("lock", counter);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> lock.tryAcquire(PATIENCE))
				.withMessageContaining("'lock'")
				.withMessageContaining("numbers");
			awaitNodes("lock", 0);
		}
		locks.zooKeeper().delete(parent("lock"), -1);
		lock.acquire().close();
	}

	@Test
	@Tag("H62")
	void queueThatIsTooLongToReadFailsAndTheSessionSurvives() throws Exception {
		ZooKeeperLocks others = warmUp(registry(), "lock");
		for (int index = 0; index < 100; index++) {
			others.zooKeeper()
				.create(parent("lock") + "/_c_00000000-0000-0000-0000-000000000000-lock-", new byte[0],
						Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
		}
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKConfig.JUTE_MAXBUFFER, "4096");
		ZooKeeperLocks small = closing(builder().clientConfig(config).build());
		ZooKeeper handle = small.zooKeeper();
		long session = handle.getSessionId();
		LockLease other = small.lock("other").acquire();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> small.lock("lock").tryAcquire(PATIENCE))
			.withMessageContaining("'lock'")
			.withMessageContaining("jute.maxbuffer");
		awaitConnected(small);
		assertThat(small.zooKeeper().getSessionId()).isEqualTo(session);
		assertThat(other.isHeld()).isTrue();
		awaitNodes("lock", 100);
		other.close();
	}

	@Test
	@Tag("H70")
	@Tag("H71")
	void timeoutThatIsTooShortIsWarnedOf() throws Exception {
		try (LogRecorder log = new LogRecorder(SessionHistory.class, Level.WARN)) {
			ZooKeeperLocks locks = closing(
					builder(server().connectString(), Duration.ofMillis(400)).serverTick(Duration.ofMillis(500))
						.build());
			locks.zooKeeper();
			assertThat(log.texts(Level.WARN))
				.anySatisfy((text) -> assertThat(text).contains("1000 ms instead of 400 ms"))
				.anySatisfy((text) -> assertThat(text).contains("too short", "2000 ms"));
		}
	}

	@Test
	@Tag("H20")
	@Tag("H43")
	void reapedParentsAreMadeAgain() throws Exception {
		try (EmbeddedZooKeeper reaping = EmbeddedZooKeeper.builder()
			.containerCheckInterval(Duration.ofMillis(1))
			.containersPerMinute(Integer.MAX_VALUE)
			.start(); ZooKeeperLocks locks = ZooKeeperLocks.builder(reaping.connectString()).build()) {
			List<Long> tokens = new ArrayList<>();
			for (int round = 0; round < 300; round++) {
				try (LockLease lease = locks.lock("lock").acquire()) {
					tokens.add(lease.fencingToken());
				}
			}
			assertThat(tokens).isSorted().doesNotHaveDuplicates();
		}
	}

}
