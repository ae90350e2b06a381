package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Sessions and nodes that go as soon as they come. Pauses are measured from below only.
 */
class StormTests extends LockTestSupport {

	private final List<Long> openings = Collections.synchronizedList(new ArrayList<>());

	StormTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * Describe a registry all of whose sessions end at once.
	 */
	private ZooKeeperLocks.Builder mortal() {
		return ZooKeeperLocks.builder((watcher) -> {
			this.openings.add(System.nanoTime());
			ZooKeeper zooKeeper = new ZooKeeper(server().connectString() + chroot(), 10_000, (event) -> {
			});
			watcher.process(new WatchedEvent(EventType.None, KeeperState.Expired, null));
			return zooKeeper;
		});
	}

	@Test
	void sessionsThatEndAtOnceAreReplacedMoreAndMoreSlowlyAndLoggedOnce() {
		List<String> warnings = warningsOf(SessionHistory.class, () -> {
			ZooKeeperLocks locks = closing(mortal().build());
			locks.start();
			await().atMost(PATIENCE).until(() -> this.openings.size() >= 6);
			locks.close();
		});
		for (int opening = 2; opening < 6; opening++) {
			assertThat(this.openings.get(opening) - this.openings.get(opening - 1))
				.isGreaterThanOrEqualTo((BackOff.SHORTEST << (opening - 2)) / 2);
		}
		assertThat(warnings).hasSize(2);
	}

	@Test
	void outageGoesOnFromHandleToHandle() {
		ZooKeeperLocks locks = closing(mortal().connectTimeout(Duration.ofSeconds(1)).build());
		assertThat(locks.lock("lock").acquireAsync(Duration.ofHours(2))).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("'connectTimeout'");
		assertThat(this.openings).hasSizeGreaterThan(2);
	}

	@Test
	void nodesThatVanishAreReplacedMoreAndMoreSlowlyAndLoggedOnce() throws Exception {
		ZooKeeperLocks operator = registry();
		LockLease holder = operator.lock("lock").acquire();
		String first = nodes("lock").get(0);
		CompletableFuture<LockLease> waiting = closing(builder(server().connectString(), Duration.ofSeconds(4)).build())
			.lock("lock")
			.acquireAsync(PATIENCE.multipliedBy(2));
		List<Long> deletions = new ArrayList<>();
		List<String> warnings = warningsOf(VanishedNodes.class, () -> {
			for (int round = 0; round < 6; round++) {
				awaitNodes("lock", 2);
				String node = nodes("lock").stream().filter((name) -> !name.equals(first)).findFirst().orElseThrow();
				deletions.add(System.nanoTime());
				operator.zooKeeper().delete(parent("lock") + "/" + node, -1);
				await().atMost(PATIENCE).until(() -> !nodes("lock").contains(node));
			}
			awaitNodes("lock", 2);
		});
		assertThat(System.nanoTime() - deletions.get(5)).isGreaterThanOrEqualTo((BackOff.SHORTEST << 4) / 2);
		assertThat(warnings).hasSize(1);
		assertThat(warnings.get(0)).contains("'lock'", parent("lock"));
		holder.close();
		get(waiting).close();
	}

	private interface Action {

		void run() throws Exception;

	}

	private static List<String> warningsOf(Class<?> source, Action action) {
		try (LogRecorder log = new LogRecorder(source, Level.WARN)) {
			action.run();
			return log.texts(Level.WARN);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
