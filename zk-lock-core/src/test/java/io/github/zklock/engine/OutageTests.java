package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.awaitClosely;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who waits for how long while ZooKeeper is gone or silent, and what is said in the end.
 */
class OutageTests extends LockTestSupport {

	private static final Duration MOMENT = Duration.ofMillis(300);

	/**
	 * Longer than any test waits.
	 */
	private static final Duration HOURS = Duration.ofHours(2);

	private final FaultProxy proxy = proxy();

	OutageTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private ZooKeeperLocks.Builder viaProxy() {
		return builder(this.proxy.connectString(), LONG_SESSION);
	}

	private void awaitWaiting(ZooKeeperLocks locks, int count) {
		awaitClosely().untilAsserted(() -> assertThat(locks.waiting()).hasSize(count));
	}

	// A cold start

	@Test
	void coldZeroWaitGetsMoreTimeThanAnAnswerTakes() throws Exception {
		ZooKeeperLocks locks = closing(viaProxy().answerTimeout(Duration.ofMillis(1)).build());
		this.proxy.refuse();
		CompletableFuture<Optional<LockLease>> cold = call(() -> locks.lock("lock").tryAcquire(Duration.ZERO));
		awaitWaiting(locks, 1);
		await().atMost(PATIENCE).during(MOMENT).until(() -> locks.waiting().size() == 1);
		assertThat(cold).isNotDone();
	}

	@Test
	void coldZeroWaitEndsWithTheConnectTimeout() {
		ZooKeeperLocks locks = closing(viaProxy().connectTimeout(MOMENT).build());
		this.proxy.refuse();
		assertUnreachable(locks.lock("lock").acquireAsync(Duration.ZERO));
	}

	@Test
	void timeForAnAnswerCountsFromTheFirstConnectionOn() {
		ZooKeeperLocks locks = closing(viaProxy().connectTimeout(HOURS).answerTimeout(MOMENT).build());
		this.proxy.hold(Direction.TO_CLIENT, Operation.GET_CHILDREN, 1);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(locks.lock("lock")::tryLock)
			.withMessageContaining("'lock'")
			.withMessageContaining("has not answered within");
		this.proxy.heal();
	}

	// An outage

	@Test
	void onlyEndlessRequestsOutlastAnOutage() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().connectTimeout(MOMENT).build()), "lock");
		NamedLock lock = locks.lock("lock");
		LockLease holder = registry().lock("lock").acquire();
		List<CompletableFuture<?>> timed = new ArrayList<>();
		for (int thread = 0; thread < 20; thread++) {
			timed.add(call(() -> lock.tryAcquire(HOURS)));
			timed.add(lock.acquireAsync(HOURS));
		}
		timed.add(locks.readLock("lock").acquireAsync(HOURS));
		CompletableFuture<LockLease> endless = acquire(lock);
		awaitWaiting(locks, 42);
		this.proxy.refuse();
		for (CompletableFuture<?> request : timed) {
			assertUnreachable(request);
		}
		assertUnreachable(call(() -> lock.tryAcquire(HOURS)));
		assertThat(locks.waiting()).hasSize(1);
		assertThat(endless).isNotDone();
		this.proxy.heal();
		holder.close();
		get(endless).close();
	}

	private void assertUnreachable(CompletableFuture<?> request) {
		assertThat(request).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("'lock'")
			.withMessageContaining(this.proxy.connectString())
			.withMessageContaining("out of reach for")
			.withMessageContaining("'connectTimeout' (zk.lock.session.connect-timeout)");
	}

	@Test
	void requestsAreServedAgainAfterAnOutage() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().connectTimeout(MOMENT).build()), "lock");
		this.proxy.refuse();
		awaitDisconnected(locks);
		assertUnreachable(locks.lock("lock").acquireAsync(HOURS));
		this.proxy.heal();
		awaitServed(locks, HOURS);
	}

	private static void awaitServed(ZooKeeperLocks locks, Duration maxWait) {
		await().atMost(PATIENCE).ignoreException(LockUnavailableException.class).until(() -> {
			Optional<LockLease> lease = locks.lock("lock").tryAcquire(maxWait);
			lease.ifPresent(LockLease::close);
			return lease.isPresent();
		});
	}

	@Test
	void connectionWithoutAnAnswerDoesNotEndAnOutage() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().connectTimeout(Duration.ofSeconds(2)).build()), "lock");
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_SERVER, Operation.SYNC, 1);
		this.proxy.cut();
		assertThat(held.await(PATIENCE)).isTrue();
		assertUnreachable(locks.lock("lock").acquireAsync(HOURS));
		assertThat(keeper(locks).connectedSession()).as("connected").isNotNull();
		this.proxy.heal();
		awaitServed(locks, HOURS);
	}

	@Test
	void placeInTheQueueIsLeftToTheNextLocalCaller() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().connectTimeout(MOMENT).build()), "lock");
		LockLease holder = registry().lock("lock").acquire();
		CompletableFuture<LockLease> timed = locks.lock("lock").acquireAsync(HOURS);
		awaitNodes("lock", 2);
		List<String> before = nodes("lock");
		settle(locks);
		this.proxy.refuse();
		assertThat(timed).failsWithin(PATIENCE);
		CompletableFuture<LockLease> endless = acquire(locks.lock("lock"));
		awaitWaiting(locks, 1);
		this.proxy.heal();
		awaitConnected(locks);
		settle(locks);
		assertThat(nodes("lock")).containsExactlyInAnyOrderElementsOf(before);
		holder.close();
		get(endless).close();
	}

	@Test
	void nodeThatNobodyWantsIsDeletedWhenTheConnectionIsBack() throws Exception {
		ZooKeeperLocks locks = warmUp(closing(viaProxy().connectTimeout(MOMENT).build()), "lock");
		LockLease holder = registry().lock("lock").acquire();
		CompletableFuture<LockLease> timed = locks.lock("lock").acquireAsync(HOURS);
		awaitNodes("lock", 2);
		this.proxy.refuse();
		assertThat(timed).failsWithin(PATIENCE);
		this.proxy.heal();
		awaitNodes("lock", 1);
		assertThat(holder.isHeld()).isTrue();
		holder.close();
	}

	// Deadlines

	/**
	 * The holder gives the lock back, and ZooKeeper does not say whether others want it.
	 */
	@Test
	void silentServerIsNotContention() throws Exception {
		ZooKeeperLocks locks = closing(viaProxy().answerTimeout(MOMENT).build());
		LockLease lease = warmUp(locks, "lock").lock("lock").acquire();
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<LockLease> waiting = locks.lock("lock").acquireAsync(MOMENT.multipliedBy(6));
		lease.close();
		assertThat(waiting).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		this.proxy.heal();
	}

	@Test
	void lockThatIsGivenBackInAnOutageIsNotContention() throws Exception {
		ZooKeeperLocks locks = registry(this.proxy);
		LockLease lease = warmUp(locks, "lock").lock("lock").acquire();
		this.proxy.refuse();
		awaitDisconnected(locks);
		CompletableFuture<LockLease> waiting = locks.lock("lock").acquireAsync(Duration.ofSeconds(3));
		lease.close();
		assertThat(waiting).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("out of reach for");
		this.proxy.heal();
	}

	@Test
	void holderInThisProcessIsContentionInAnOutageToo() throws Exception {
		ZooKeeperLocks locks = registry(this.proxy);
		try (LockLease lease = warmUp(locks, "lock").lock("lock").acquire()) {
			this.proxy.refuse();
			awaitDisconnected(locks);
			assertThat(locks.lock("lock").tryLock()).isFalse();
			assertThat(locks.lock("lock").tryAcquire(MOMENT)).isEmpty();
			assertThat(locks.readLock("lock").tryAcquire(MOMENT)).isEmpty();
			assertThat(lease.isHeld()).isTrue();
			this.proxy.heal();
		}
	}

	@Test
	void zeroWaitBehindLocalWaitersAsksNobodyWhoIsSilent() throws Exception {
		ZooKeeperLocks locks = closing(viaProxy().answerTimeout(MOMENT).build());
		warmUp(locks, "lock");
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<LockLease> waiting = acquire(locks.lock("lock"));
		awaitWaiting(locks, 1);
		await().atMost(PATIENCE).until(() -> keeper(locks).reachability().isSilent(MOMENT.toNanos()));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(locks.lock("lock")::tryLock)
			.withMessageContaining("'lock'");
		this.proxy.heal();
		get(waiting).close();
	}

	@Test
	void nothingIsOwedOnceEverythingIsAnswered() throws Exception {
		ZooKeeperLocks locks = warmUp(registry(this.proxy), "lock");
		this.proxy.cut();
		locks.lock("lock").acquire().close();
		Session session = keeper(locks).awaitSession();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(session.oldestUnanswered()).isZero());
	}

	// Not for ever

	/**
	 * A server refuses a client that knows more than itself, so only a new session helps.
	 */
	@Test
	void zeroWaitAloneFindsAServerThatCameBackEmpty() throws Exception {
		EmbeddedZooKeeper old = closing(EmbeddedZooKeeper.startNew());
		int port = old.port();
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder(old.connectString())
			.sessionTimeout(Duration.ofSeconds(4))
			.serverTick(Duration.ofMillis(500))
			.connectTimeout(PATIENCE)
			.answerTimeout(PATIENCE)
			.build());
		awaitServed(locks, Duration.ZERO);
		old.close();
		awaitDisconnected(locks);
		closing(EmbeddedZooKeeper.builder().port(port).start());
		awaitServed(locks, Duration.ZERO);
	}

	@Test
	void zeroWaitAloneFindsOutThatTheCredentialsAreRight() {
		AtomicInteger made = new AtomicInteger();
		ZooKeeperLocks locks = closing(ZooKeeperLocks.builder((watcher) -> {
			ZooKeeper zooKeeper = new ZooKeeper(server().connectString() + chroot(), 10_000, watcher);
			if (made.incrementAndGet() <= 3) {
				zooKeeper.addAuthInfo("no-such-scheme", new byte[0]);
			}
			return zooKeeper;
		}).connectTimeout(PATIENCE).answerTimeout(PATIENCE).build());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(locks.lock("lock")::tryLock);
		awaitServed(locks, Duration.ZERO);
		assertThat(made).hasValue(4);
	}

}
