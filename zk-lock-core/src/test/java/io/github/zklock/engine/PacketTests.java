package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
import static org.awaitility.Awaitility.await;

/**
 * What a lock costs, in packets: these do not depend on the machine.
 */
class PacketTests extends LockTestSupport {

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SESSION_WITHOUT_TICKS);

	private final NamedLock lock = this.locks.lock("lock");

	PacketTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws Exception {
		super(server, connectString);
		warmUp(this.locks, "lock");
		this.proxy.resetCounts();
	}

	private long sent(Operation operation) {
		return this.proxy.frames(Direction.TO_SERVER, operation);
	}

	/**
	 * All requests but heartbeats, of which there is one in several seconds.
	 */
	private long sent() {
		return sent(Operation.ANY) - sent(Operation.SYNC);
	}

	@Test
	void uncontendedCycleCostsThreePackets() {
		int cycles = 20;
		for (int cycle = 0; cycle < cycles; cycle++) {
			this.lock.lock();
			this.lock.unlock();
		}
		assertThat(sent(Operation.CREATE)).isEqualTo(cycles);
		assertThat(sent(Operation.GET_CHILDREN)).isEqualTo(cycles);
		assertThat(sent(Operation.DELETE)).isEqualTo(cycles);
		assertThat(sent()).isEqualTo(3L * cycles);
	}

	@Test
	void uncontendedLockIsOneRoundTrip() throws Exception {
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<LockLease> lease = this.lock.acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> sent() == 2);
		this.proxy.heal();
		get(lease);
		assertThat(sent()).as("nothing had to be sent after the first answer").isEqualTo(2);
		get(lease).close();
	}

	@Test
	void reentryAndItsTokenAreFree() {
		this.lock.lock();
		long token = this.lock.lease().orElseThrow().fencingToken();
		long before = sent();
		this.lock.lock();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.lease().orElseThrow().fencingToken()).isEqualTo(token);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
		this.lock.unlock();
		assertThat(sent()).isEqualTo(before).isEqualTo(2);
		this.lock.unlock();
	}

	@Test
	@Tag("H61")
	void localRefusalIsFree() throws Exception {
		try (LockLease lease = this.lock.acquire()) {
			long before = sent(Operation.ANY);
			for (int attempt = 0; attempt < 1000; attempt++) {
				assertThat(this.lock.tryLock()).isFalse();
				assertThat(this.locks.lock("lock").tryAcquire(Duration.ZERO)).isEmpty();
			}
			assertThat(sent(Operation.ANY) - sent(Operation.SYNC)).isEqualTo(before);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	@Tag("H64")
	void remoteRefusalWritesNothing() throws Exception {
		try (LockLease lease = registry().lock("lock").acquire()) {
			for (int attempt = 0; attempt < 10; attempt++) {
				assertThat(this.lock.tryLock()).isFalse();
			}
			assertThat(lease.isHeld()).isTrue();
			assertThat(sent(Operation.SYNC)).isEqualTo(10);
			assertThat(sent(Operation.GET_CHILDREN)).isEqualTo(10);
			assertThat(sent()).isEqualTo(10);
		}
	}

	@Test
	void zeroWaitSuccessIsTwoRoundTrips() {
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(sent(Operation.SYNC)).isEqualTo(1);
		assertThat(sent(Operation.CREATE)).isEqualTo(1);
		assertThat(sent(Operation.GET_CHILDREN)).isEqualTo(2);
		assertThat(sent()).isEqualTo(3);
		this.lock.unlock();
	}

	@Test
	void localHandOverIsFree() throws Exception {
		LockLease first = this.lock.acquire();
		List<CompletableFuture<LockLease>> waiting = new ArrayList<>();
		for (int waiter = 0; waiter < 1000; waiter++) {
			waiting.add(this.lock.acquireAsync(PATIENCE));
		}
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_CHILDREN) == 2);
		first.close();
		for (CompletableFuture<LockLease> waiter : waiting) {
			get(waiter).close();
		}
		assertThat(sent(Operation.CREATE)).isEqualTo(1);
		assertThat(sent(Operation.DELETE)).isEqualTo(1);
		assertThat(sent(Operation.GET_CHILDREN)).as("one for the lock, one for all hand-overs").isEqualTo(2);
		assertThat(sent()).isEqualTo(4);
	}

	@Test
	@Tag("H63")
	void releaseWakesExactlyOneWaiterHoweverManyThereAre() throws Exception {
		LockLease holder = registry().lock("lock").acquire();
		List<CompletableFuture<LockLease>> waiting = new ArrayList<>();
		for (int waiter = 0; waiter < 20; waiter++) {
			ZooKeeperLocks other = registry(this.proxy, SESSION_WITHOUT_TICKS);
			waiting.add(other.lock("lock").acquireAsync(PATIENCE));
			awaitNodes("lock", waiter + 2);
		}
		await().atMost(PATIENCE).until(() -> this.proxy.frames(Direction.TO_CLIENT, Operation.GET_DATA) == 20);
		this.proxy.resetCounts();
		holder.close();
		for (int waiter = 0; waiter < 20; waiter++) {
			LockLease lease = get(waiting.get(waiter));
			assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)).isEqualTo(waiter + 1);
			assertThat(waiting.subList(waiter + 1, 20)).noneMatch(CompletableFuture::isDone);
			lease.close();
		}
		assertThat(sent(Operation.DELETE)).isEqualTo(20);
		assertThat(sent()).as("a waiter that was not the second in line has looked once more").isEqualTo(20 + 19);
	}

	@Test
	void idleRegistrySendsNothingAndHeldLockOneHeartbeatForAll() throws Exception {
		FaultProxy other = proxy();
		ZooKeeperLocks beating = registry(other, Duration.ofSeconds(12));
		List<LockLease> leases = new ArrayList<>();
		for (int index = 0; index < 50; index++) {
			leases.add(beating.lock("lock-" + index).acquire());
		}
		long beats = other.frames(Direction.TO_CLIENT, Operation.SYNC);
		await().atMost(PATIENCE).until(() -> other.frames(Direction.TO_CLIENT, Operation.SYNC) >= beats + 2);
		assertThat(other.frames(Direction.TO_SERVER, Operation.GET_DATA)).as("one watch for each node").isEqualTo(50);
		leases.forEach(LockLease::close);
		other.resetCounts();
		// The client pings every four seconds, and heartbeats would come more often
		await().atMost(PATIENCE).until(() -> other.frames(Direction.TO_CLIENT, Operation.PING) >= 1);
		assertThat(other.frames(Direction.TO_SERVER, Operation.ANY)).isZero();
	}

	@Test
	@Tag("H60")
	void contendedCyclesLeaveNoWatch() throws Exception {
		ZooKeeperLocks other = registry();
		for (int cycle = 0; cycle < 50; cycle++) {
			LockLease lease = this.lock.acquire();
			CompletableFuture<LockLease> waiting = other.lock("lock").acquireAsync(PATIENCE);
			CompletableFuture<LockLease> local = this.lock.acquireAsync(PATIENCE);
			awaitNodes("lock", 2);
			lease.close();
			get(CompletableFuture.allOf(waiting.thenAccept(LockLease::close), local.thenAccept(LockLease::close)));
		}
		assertThat(nodes("lock")).isEmpty();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(server().view().watchCount()).isLessThanOrEqualTo(1));
	}

}
