package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LossReason;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.platform.SystemPlatform;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whoever loses a lock or a role is told why, and so is whoever reads the log.
 */
class LossReasonTests extends LockTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(4);

	private final LogRecorder log = closing(new LogRecorder("io.github.zklock", Level.INFO));

	private final AtomicReference<LossReason> heard = new AtomicReference<>();

	LossReasonTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ZooKeeperLocks listened(ZooKeeperLocks.Builder builder) {
		return closing(builder.listener(new LockListener() {

			@Override
			public void lost(LockLease lease, Duration held) {
				LossReasonTests.this.heard.set(lease.loss().orElseThrow().reason());
			}

		}).build());
	}

	/**
	 * Lose a lock and a role, and look at what everybody is told.
	 */
	private void assertLoss(ZooKeeperLocks locks, LossReason reason, Loser loser, String... texts) throws Exception {
		LeaderElection election = locks.election("role");
		election.join();
		await().atMost(PATIENCE).until(election.leadership()::isLeader);
		LeaderWork work = election.leadership().begin().orElseThrow();
		LockLease lease = locks.lock("lock").acquire();
		assertThat(lease.isLost()).isFalse();
		assertThat(lease.loss()).isEmpty();
		assertThat(work.loss()).isEmpty();
		loser.lose(lease);
		await().atMost(PATIENCE).until(lease::isLost);
		assertThat(lease.loss().orElseThrow()).satisfies((loss) -> assertTold(loss, reason, texts));
		LockLostException failure = catchThrowableOfType(LockLostException.class, lease::fencingToken);
		assertThat(failure).satisfies((loss) -> assertTold(loss, reason, texts));
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.heard).hasValue(reason));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.log.texts(Level.WARN))
				.filteredOn((line) -> line.startsWith("Lock 'lock' was lost after "))
				.singleElement()
				.satisfies((line) -> assertThat(line).contains(texts)));
		lease.close();
		assertThat(lease.isLost()).as("closing it changes nothing").isTrue();
		if (reason != LossReason.NODE_DELETED && reason != LossReason.BROKEN_ON_REQUEST) {
			await().atMost(PATIENCE).until(() -> !work.isLeader());
			assertThat(work.loss().orElseThrow()).isInstanceOfSatisfying(LockLostException.class, (loss) -> {
				assertThat(loss.reason()).isEqualTo(reason);
				assertThat(loss.getMessage())
					.matches("(?s)Leadership of role 'role' was lost after \\d+ ms: .*; another process may lead now")
					.contains(texts);
			});
		}
	}

	private static void assertTold(LockLostException loss, LossReason reason, String... texts) {
		assertThat(loss.reason()).isEqualTo(reason);
		assertThat(loss.name()).isEqualTo("lock");
		assertThat(loss.getMessage())
			.matches("(?s)Lock 'lock' was lost after \\d+ ms: .*; another process may hold it now")
			.contains(texts);
	}

	@Test
	void reasonIsTheEndOfTheLease() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = listened(builder(proxy.connectString(), SHORT_SESSION));
		assertLoss(locks, LossReason.LEASE_ENDED, (lease) -> proxy.swallow(),
				"no answer from the ZooKeeper leader (" + proxy.connectString(),
				" ms (half of the session timeout is 2000 ms)");
		proxy.heal();
	}

	@Test
	void reasonIsTheEndOfTheSession() throws Exception {
		ZooKeeperLocks locks = listened(builder());
		String id = Long.toHexString(locks.zooKeeper().getSessionId());
		assertLoss(locks, LossReason.SESSION_EXPIRED, (lease) -> Sessions.expire(locks.zooKeeper()),
				"ZooKeeper (" + server().connectString(), "has ended session 0x" + id);
	}

	@Test
	void reasonIsThatTheNodeWasDeleted() throws Exception {
		ZooKeeperLocks locks = listened(builder());
		assertLoss(locks, LossReason.NODE_DELETED, (lease) -> {
			watchOwnNodes(locks);
			String node = parent("lock") + "/" + nodes("lock").get(0);
			registry().zooKeeper().delete(node, -1);
		}, "its node '" + parent("lock") + "/_c_", "' is gone: somebody has deleted it");
	}

	@Test
	void reasonIsThatTheNodeWasDeletedIfAnotherProcessBreaksTheLock() throws Exception {
		ZooKeeperLocks locks = listened(builder());
		assertLoss(locks, LossReason.NODE_DELETED, (lease) -> {
			watchOwnNodes(locks);
			registry().breakLock("lock");
		}, "or another process has broken the lock");
	}

	@Test
	void reasonIsThatTheLockWasBrokenOnRequest() throws Exception {
		ZooKeeperLocks locks = listened(builder());
		assertLoss(locks, LossReason.BROKEN_ON_REQUEST, (lease) -> locks.breakLock("lock"),
				"broken by LockInspector.breakLock in this process");
	}

	@Test
	void reasonIsThatTheRegistryWasClosed() throws Exception {
		ZooKeeperLocks locks = listened(builder());
		assertLoss(locks, LossReason.REGISTRY_CLOSED, (lease) -> locks.close(), "the registry was closed",
				"'closeWait'", "zk.lock.shutdown.wait");
	}

	@Test
	void reasonIsThatTheHostWasSuspended() throws Exception {
		AtomicLong slept = new AtomicLong();
		ZooKeeperLocks locks = listened(with(builder(), (options) -> options.platform(new SystemPlatform() {

			@Override
			public long currentTimeMillis() {
				return super.currentTimeMillis() + slept.get();
			}

		})));
		assertLoss(locks, LossReason.HOST_SUSPENDED, (lease) -> slept.set(100_000), "the wall clock advanced by ",
				" ms while this host stood still: it was suspended, or its clock was set forward");
	}

	@Test
	void reasonIsThatTheCredentialsAreRefused() throws Exception {
		AtomicReference<Watcher> watcher = new AtomicReference<>();
		ZooKeeperLocks locks = listened(ZooKeeperLocks.builder((sessionWatcher) -> {
			watcher.set(sessionWatcher);
			return new ZooKeeper(server().connectString() + chroot(), (int) LONG_SESSION.toMillis(), sessionWatcher);
		}).sessionTimeout(LONG_SESSION).connectTimeout(PATIENCE).closeWait(Duration.ZERO));
		assertLoss(locks, LossReason.REFUSED,
				(lease) -> watcher.get().process(new WatchedEvent(EventType.None, KeeperState.AuthFailed, null)),
				"refuses the credentials", "'authInfo'", "zk.lock.auth");
	}

	@Test
	void reasonIsAnInternalError() throws Exception {
		AtomicBoolean failing = new AtomicBoolean();
		ZooKeeperLocks locks = listened(with(builder(), (options) -> options.faults((place) -> {
			if (place.equals("task") && failing.compareAndSet(true, false)) {
				throw new OutOfMemoryError("on purpose");
			}
		})));
		assertLoss(locks, LossReason.INTERNAL_ERROR, (lease) -> failing.set(true),
				"an unexpected error in this process, see the log");
	}

	@Test
	void workThatDoesNotEndInTimeLosesTheRoleThatIsGivenUp() throws Exception {
		ZooKeeperLocks locks = closing(builder().handOverWait(Duration.ofMillis(1)).build());
		LeaderElection election = locks.election("role");
		election.join();
		await().atMost(PATIENCE).until(election.leadership()::isLeader);
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch never = new CountDownLatch(1);
		CompletableFuture<Boolean> work = call(() -> election.leadership().run(() -> {
			running.countDown();
			awaitQuietly(never);
		}));
		awaitQuietly(running);
		election.leave();
		assertThat(work).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class)
			.havingCause()
			.withMessageContainingAll("'role'", "has given it up", "'handOverWait'", "zk.lock.leader.hand-over-wait")
			.satisfies((loss) -> assertThat(((LockLostException) loss).reason()).isEqualTo(LossReason.GIVEN_UP));
		assertThat(this.log.texts(Level.INFO))
			.anyMatch((line) -> line.matches("Leadership of 'role' granted, token \\d+"))
			.anyMatch((line) -> line.matches("Leadership of 'role' given up after \\d+ ms, token \\d+"));
	}

	@Test
	void unlockSaysWhy() throws Exception {
		ZooKeeperLocks locks = registry();
		locks.lock("lock").lock();
		locks.lock("lock").lock();
		locks.breakLock("lock");
		for (int entry = 0; entry < 2; entry++) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(locks.lock("lock")::unlock)
				.satisfies((loss) -> assertTold(loss, LossReason.BROKEN_ON_REQUEST, "breakLock"));
		}
	}

	@Test
	void orderlyEndIsNoLoss() throws Exception {
		ZooKeeperLocks locks = registry();
		LockLease lease = locks.lock("lock").acquire();
		lease.close();
		locks.close();
		assertThat(lease.isLost()).isFalse();
		assertThat(lease.loss()).isEmpty();
		assertThat(this.log.texts(Level.WARN)).isEmpty();
	}

	// Many at once

	@Test
	void manyLossesAreOneLine() throws Exception {
		ZooKeeperLocks locks = registry();
		List<LockLease> leases = new ArrayList<>();
		for (int index = 0; index < 50; index++) {
			leases.add(locks.lock("lock-" + index).acquire());
		}
		Sessions.expire(locks.zooKeeper());
		await().atMost(PATIENCE).until(() -> leases.stream().allMatch(LockLease::isLost));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.log.texts(Level.WARN))
				.filteredOn((line) -> line.contains("lost after"))
				.singleElement()
				.satisfies((line) -> assertThat(line).matches(
						"50 locks were lost after \\d+ to \\d+ ms \\(('lock-\\d+', ){4}'lock-\\d+' and 45 others\\): ZooKeeper .*")));
	}

	@FunctionalInterface
	private interface Loser {

		void lose(LockLease lease) throws Exception;

	}

}
