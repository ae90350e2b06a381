package io.github.zklock.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import ch.qos.logback.classic.Level;
import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.testing.LogRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Names that would write lines of their own into a log, or fill it.
 */
class HostileNameTests extends LockTestSupport {

	private static final String NAME = "x'\r\n2026-11-16 ERROR admin login succeeded\u001b[2J\u2028\u202e"
			+ "y".repeat(100_000);

	private static final String SHOWN = "'x'\\r\\n2026-11-16 ERROR admin login succeeded\\u001B[2J\\u2028\\u202Ey";

	private final LogRecorder log = new LogRecorder("io.github.zklock", Level.ERROR);

	private final ZooKeeperLocks one = registry();

	private final ZooKeeperLocks two = registry();

	HostileNameTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void stopListening() {
		this.log.close();
	}

	private static void assertHarmless(Class<? extends Throwable> type, ThrowingCallable failing) {
		assertHarmless(type, catchThrowable(failing));
	}

	private static void assertHarmless(Class<? extends Throwable> type, Throwable failure) {
		assertThat(failure).isInstanceOf(type);
		assertHarmless(String.valueOf(failure.getMessage()));
		if (failure instanceof LockException exception) {
			assertThat(exception.name()).isEqualTo(NAME);
		}
	}

	private static void assertHarmless(String text) {
		assertThat(text).contains(SHOWN).hasSizeLessThan(1_000);
		assertThat(text.codePoints())
			.noneMatch((codePoint) -> Character.isISOControl(codePoint) || codePoint == 0x2028 || codePoint == 0x202e);
	}

	@Test
	void messagesOfMisuseAreHarmless() throws Exception {
		assertHarmless(IllegalMonitorStateException.class, () -> this.one.lock(NAME).unlock());
		assertHarmless(IllegalMonitorStateException.class, () -> this.one.readLock(NAME).unlock());
		assertHarmless(IllegalArgumentException.class, () -> this.one.lock(NAME).tryAcquire(Duration.ofMillis(-1)));
		this.one.readLock(NAME).lock();
		assertHarmless(IllegalMonitorStateException.class, () -> this.one.lock(NAME).lock());
		this.one.readLock(NAME).unlock();
		LockLease lease = this.one.lock(NAME).acquire();
		assertHarmless(IllegalArgumentException.class, () -> lease.close(Duration.ofMillis(-1)));
		lease.close();
		assertHarmless(IllegalStateException.class, lease::fencingToken);
		assertHarmless(this.one.lock(NAME).toString());
		assertHarmless(this.one.readLock(NAME).toString());
	}

	@Test
	void messageOfAnInvalidNameIsHarmless() {
		Throwable failure = catchThrowable(() -> this.one.lock(NAME + "\ud800"));
		assertHarmless(IllegalArgumentException.class, failure);
		assertHarmless(IllegalArgumentException.class, catchThrowable(() -> this.one.election(NAME + "\ud800")));
	}

	@Test
	void messageOfALockThatIsNotGrantedIsHarmless() throws Exception {
		try (LockLease held = this.one.lock(NAME).acquire()) {
			assertThat(held.isHeld()).isTrue();
			CompletableFuture<LockLease> refused = this.two.lock(NAME).acquireAsync(Duration.ZERO);
			assertHarmless(LockTimeoutException.class, causeOf(refused));
		}
	}

	private static Throwable causeOf(CompletableFuture<?> failing) {
		Throwable failure = catchThrowable(() -> get(failing));
		assertThat(failure).isInstanceOf(ExecutionException.class);
		return Objects.requireNonNull(failure.getCause());
	}

	@Test
	void messagesOfALostLockAreHarmless() throws Exception {
		this.one.lock(NAME).lock();
		LockLease lease = this.one.lock(NAME).lease().orElseThrow();
		assertThat(this.one.breakLock(NAME)).isTrue();
		assertHarmless(LockLostException.class, lease::fencingToken);
		assertHarmless(LockLostException.class, () -> this.one.lock(NAME).unlock());
	}

	@Test
	void messagesOfALockThatCannotBeHadAreHarmless() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks locks = closing(
				builder(proxy.connectString(), LONG_SESSION).connectTimeout(Duration.ofMillis(100))
					.answerTimeout(Duration.ofMillis(100))
					.build());
		proxy.refuse();
		assertHarmless(LockUnavailableException.class, () -> locks.lock(NAME).tryLock());
		assertHarmless(LockUnavailableException.class, () -> locks.queue(NAME));
		locks.close();
		assertHarmless(LockUnavailableException.class, () -> locks.lock(NAME).lock());
		assertHarmless(LockUnavailableException.class, () -> locks.election(NAME).join());
	}

	@Test
	void messageOfALockThatIsRefusedIsHarmless() throws Exception {
		this.one.lock("other").acquire().close();
		this.one.zooKeeper().create(parent(NAME), null, Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT);
		assertHarmless(LockUnavailableException.class, () -> this.one.lock(NAME).lock());
	}

	@Test
	void messagesOfARoleThatIsRefusedAreHarmless() throws Exception {
		LeaderElection other = this.one.election("other");
		other.join();
		await().atMost(PATIENCE).until(other.leadership()::isLeader);
		this.one.zooKeeper()
			.create(LockPath.of("/zk-lock", "leaders", NAME).parent(), null, Ids.READ_ACL_UNSAFE,
					CreateMode.PERSISTENT);
		this.one.election(NAME).join();
		await().atMost(PATIENCE)
			.until(() -> this.log.texts(Level.ERROR).stream().anyMatch((message) -> message.startsWith("Role '")));
		assertHarmless(this.log.texts(Level.ERROR)
			.stream()
			.filter((message) -> message.startsWith("Role '"))
			.findFirst()
			.orElseThrow());
		this.one.election(NAME).leave();
	}

	@Test
	void messagesOfLeadershipAreHarmless() throws Exception {
		LeaderElection election = this.one.election(NAME);
		assertHarmless(election.toString());
		assertHarmless(IllegalStateException.class, () -> election.leadership().fencingToken());
		election.join();
		await().atMost(PATIENCE).until(election.leadership()::isLeader);
		assertHarmless(LockLostException.class, () -> election.leadership().run(() -> {
			call(() -> {
				((ElectionHandle) election).candidacy().takeAway();
				return null;
			});
			while (election.leadership().isLeader()) {
				Thread.onSpinWait();
			}
		}));
	}

	@Test
	void whatTheInspectorShowsIsHarmless() throws Exception {
		this.one.lock(NAME).lock();
		assertThat(this.one.held()).extracting(LocalLock::name).containsExactly(NAME);
		assertThat(this.one.held().get(0).toString())
			.contains("mode=WRITE", "thread=" + Thread.currentThread().getName())
			.contains(SHOWN.substring(1))
			.hasSizeLessThan(1_000);
		this.one.zooKeeper()
			.create(parent(NAME) + "/n-",
					("zk-lock instance=a host=b pid=1 since=c thread=" + NAME).getBytes(StandardCharsets.UTF_8),
					Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
		List<LockContender> queue = this.one.queue(NAME);
		assertThat(queue.get(1).thread()).isEqualTo(NAME);
		assertThat(queue.get(1).toString()).contains(SHOWN.substring(1)).hasSizeLessThan(1200);
		assertThat(queue.toString()).doesNotContain("\n", "\r", "\u001b", "\u2028", "\u202e");
		assertThat(new LocalLock("a", LockMode.READ, null, Instant.EPOCH))
			.hasToString("LocalLock[name=a, mode=READ, thread=null, since=1970-01-01T00:00:00Z]");
		this.one.lock(NAME).unlock();
	}

}
