package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LockLease;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class ExclusiveLockTests extends LockTestSupport {

	private final NamedLock lock = registry().lock("lock");

	private final NamedLock elsewhere = registry().lock("lock");

	ExclusiveLockTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	// Owned by a thread

	@Test
	void excludesOtherProcesses() throws Exception {
		this.lock.lock();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(this.elsewhere.tryLock()).isFalse();
		assertThat(this.elsewhere.tryLock(1, TimeUnit.SECONDS)).isFalse();
		this.lock.unlock();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.elsewhere.tryLock()).isTrue();
		this.elsewhere.unlock();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	@Tag("H85")
	void isReentrantAcrossObjects() {
		ZooKeeperLocks locks = registry();
		locks.lock("again").lock();
		locks.lock("again").lock();
		assertThat(locks.lock("again").tryLock()).isTrue();
		assertThat(nodes("again")).hasSize(1);
		locks.lock("again").unlock();
		locks.lock("again").unlock();
		assertThat(locks.lock("again").isHeldByCurrentThread()).isTrue();
		assertThat(nodes("again")).hasSize(1);
		locks.lock("again").unlock();
		assertThat(locks.lock("again").isHeldByCurrentThread()).isFalse();
		assertThat(nodes("again")).isEmpty();
	}

	// Owned by whoever has the lease

	@Test
	void processesTakeTurnsAndLocalWaitersKeepTheirOrder() throws Exception {
		FaultProxy proxy = proxy();
		NamedLock local = warmUp(registry(proxy), "lock").lock("lock");
		LockLease lease = local.acquire();
		proxy.resetCounts();
		CompletableFuture<LockLease> second = local.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> third = local.acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_CLIENT, Operation.GET_CHILDREN) == 1);
		CompletableFuture<LockLease> remote = acquire(this.elsewhere);
		awaitNodes("lock", 2);
		await().atMost(PATIENCE).until(() -> proxy.frames(Direction.TO_CLIENT, Operation.GET_CHILDREN) == 2);
		lease.close();
		get(remote).close();
		get(second).close();
		get(third).close();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void timeoutIsContention() throws Exception {
		try (LockLease lease = this.lock.acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.elsewhere.tryLock()).as("refused by ZooKeeper").isFalse();
			long start = System.nanoTime();
			assertThat(this.elsewhere.tryAcquire(Duration.ofSeconds(2))).isEmpty();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
			assertThat(this.lock.tryAcquire(Duration.ofMillis(10))).isEmpty();
			awaitNodes("lock", 1);
		}
	}

	@Test
	void latecomerBehindALocalWaiterSeesContentionToo() throws Exception {
		LockLease lease = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		await().atMost(PATIENCE).until(() -> server().view().watchCount() == 1);
		assertThat(this.lock.tryAcquire(Duration.ofMillis(20))).isEmpty();
		lease.close();
		get(waiting).close();
	}

	@Test
	void contentionIsNeverReportedAsUnavailable() throws Exception {
		FaultProxy proxy = proxy();
		proxy.delay(Duration.ofMillis(40));
		NamedLock slow = warmUp(registry(proxy), "lock").lock("lock");
		NamedLock other = warmUp(registry(proxy), "lock").lock("lock");
		List<CompletableFuture<Integer>> users = new ArrayList<>();
		for (int user = 0; user < 8; user++) {
			NamedLock own = (user % 2 == 0) ? slow : other;
			users.add(call(() -> {
				int granted = 0;
				for (int round = 0; round < 10; round++) {
					Optional<LockLease> lease = own.tryAcquire(Duration.ofSeconds(2));
					lease.ifPresent(LockLease::close);
					granted += lease.isPresent() ? 1 : 0;
				}
				return granted;
			}));
		}
		int granted = 0;
		for (CompletableFuture<Integer> user : users) {
			granted += get(user);
		}
		assertThat(granted).isBetween(1, 80);
		awaitNodes("lock", 0);
	}

	@Test
	void closeWithMinimumLingersForNobody() throws Exception {
		LockLease lease = this.lock.acquire();
		lease.close(Duration.ofDays(1000000000));
		assertThat(lease.isHeld()).isFalse();
		lease.close();
		assertThat(this.lock.tryAcquire(Duration.ZERO)).isEmpty();
		assertThat(this.elsewhere.tryAcquire(Duration.ZERO)).isEmpty();
		assertThat(nodes("lock")).hasSize(1);
	}

	@Test
	void lingeringEndsWithoutAThread() throws Exception {
		LockLease lease = this.lock.acquire();
		long start = System.nanoTime();
		lease.close(Duration.ofMillis(200));
		try (LockLease next = this.elsewhere.acquire()) {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(150));
			assertThat(next.isHeld()).isTrue();
		}
	}

	@Test
	void tokenOfAClosedLeaseIsRefused() throws Exception {
		LockLease lease = this.lock.acquire();
		assertThat(lease.fencingToken()).isPositive();
		lease.close();
		assertThatIllegalStateException().isThrownBy(lease::fencingToken).withMessageContaining("'lock'");
	}

	// Interrupts

	@Test
	@Tag("H81")
	void interruptEndsAWaitAndLeavesTheQueue() throws Exception {
		LockLease lease = this.lock.acquire();
		AtomicReference<Thread> waiter = new AtomicReference<>();
		CompletableFuture<Optional<LockLease>> waiting = call(() -> {
			waiter.set(Thread.currentThread());
			return this.elsewhere.tryAcquire(PATIENCE);
		});
		awaitNodes("lock", 2);
		waiter.get().interrupt();
		assertThat(waiting).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
		awaitNodes("lock", 1);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	@Test
	@Tag("H81")
	void lockAndUnlockKeepAnInterruptForLater() throws Exception {
		LockLease lease = this.elsewhere.acquire();
		AtomicReference<Thread> waiter = new AtomicReference<>();
		CompletableFuture<Boolean> waiting = call(() -> {
			waiter.set(Thread.currentThread());
			this.lock.lock();
			this.lock.unlock();
			return Thread.interrupted();
		});
		awaitNodes("lock", 2);
		waiter.get().interrupt();
		await().atMost(PATIENCE).until(() -> waiter.get().getState() == Thread.State.WAITING);
		assertThat(nodes("lock")).hasSize(2);
		lease.close();
		assertThat(get(waiting)).isTrue();
		assertThat(nodes("lock")).isEmpty();
	}

}
