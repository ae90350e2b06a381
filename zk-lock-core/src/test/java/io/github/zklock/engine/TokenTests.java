package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Fencing tokens grow from holder to holder, however the lock changes hands.
 */
class TokenTests extends LockTestSupport {

	private final ZooKeeperLocks locks = registry();

	private final NamedLock lock = this.locks.lock("lock");

	TokenTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	@Tag("H21")
	void tokenGrowsOverFreeQueuedAndHandedOverLocks() throws Exception {
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		NamedLock elsewhere = registry().lock("lock");
		for (int round = 0; round < 10; round++) {
			LockLease first = this.lock.acquire();
			List<CompletableFuture<Void>> next = new ArrayList<>();
			for (NamedLock waiting : List.of(this.lock, this.lock, (round % 2 == 0) ? this.lock : elsewhere)) {
				next.add(waiting.acquireAsync(PATIENCE).thenAccept((lease) -> {
					tokens.add(lease.fencingToken());
					lease.close();
				}));
			}
			if (round % 2 == 1) {
				awaitNodes("lock", 2);
			}
			tokens.add(first.fencingToken());
			first.close();
			for (CompletableFuture<Void> done : next) {
				get(done);
			}
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates().hasSize(40);
	}

	private static long closing(LockLease lease) {
		try (lease) {
			return lease.fencingToken();
		}
	}

	@Test
	@Tag("H20")
	void tokenGrowsAcrossRemovedParents() throws Exception {
		List<Long> tokens = new ArrayList<>();
		for (int round = 0; round < 5; round++) {
			tokens.add(closing(this.lock.acquire()));
			this.locks.zooKeeper().delete(parent("lock"), -1);
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	/**
	 * The trace of the model with tok=0: the czxid of a first holder is no token if
	 * somebody held the lock by an older node when the new one was created.
	 */
	@Test
	@Tag("H21")
	void czxidOfANodeThatWasCreatedBeforeAnEarlierHoldersTokenIsNotUsed() throws Exception {
		FaultProxy proxy = proxy();
		NamedLock elsewhere = warmUp(registry(proxy), "lock").lock("lock");
		LockLease first = this.lock.acquire();
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> server().view().watchCount() >= 1);
		proxy.hold(Direction.TO_SERVER, Operation.GET_CHILDREN, 1);
		first.close();
		LockLease handedOver = get(second);
		CompletableFuture<LockLease> third = elsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		long earlier = handedOver.fencingToken();
		handedOver.close();
		awaitNodes("lock", 1);
		proxy.heal();
		try (LockLease later = get(third)) {
			assertThat(later.fencingToken()).isGreaterThan(earlier);
		}
	}

	@Test
	void freeLocksTokenCostsNothing() throws Exception {
		FaultProxy proxy = proxy();
		NamedLock counted = warmUp(registry(proxy), "lock").lock("lock");
		try (LockLease lease = counted.acquire()) {
			assertThat(lease.fencingToken()).isPositive();
		}
		assertThat(proxy.frames(Direction.TO_SERVER, Operation.SET_DATA)).isZero();
	}

	@Test
	void tokenIsAskedForOnceAndSurvivesALostReply() throws Exception {
		FaultProxy proxy = proxy();
		NamedLock counted = warmUp(registry(proxy), "lock").lock("lock");
		LockLease holder = this.lock.acquire();
		CompletableFuture<LockLease> waiting = counted.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		holder.close();
		try (LockLease lease = get(waiting)) {
			proxy.cutAfter(Operation.SET_DATA, 1);
			long token = lease.fencingToken();
			assertThat(lease.fencingToken()).isEqualTo(token);
			assertThat(proxy.frames(Direction.TO_SERVER, Operation.SET_DATA)).isEqualTo(2);
			assertThat(token).isEqualTo(
					this.locks.zooKeeper().exists(parent("lock") + "/" + nodes("lock").get(0), false).getMzxid());
		}
	}

	/**
	 * The model's plant "blind".
	 */
	@Test
	@Tag("H22")
	void tokenOfAnEndedHoldIsNotAskedForAgain() throws Exception {
		FaultProxy proxy = proxy();
		NamedLock local = warmUp(registry(proxy), "lock").lock("lock");
		LockLease holder = this.lock.acquire();
		CompletableFuture<LockLease> second = local.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> third = local.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		holder.close();
		LockLease ended = get(second);
		FaultProxy.Trigger cut = proxy.cutBefore(Operation.SET_DATA, 1);
		CompletableFuture<Long> asking = call(ended::fencingToken);
		assertThat(cut.await(PATIENCE)).isTrue();
		proxy.refuse();
		ended.close();
		assertThat(asking).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(IllegalStateException.class);
		proxy.heal();
		try (LockLease next = get(third)) {
			assertThat(next.fencingToken()).isPositive();
			assertThat(proxy.frames(Direction.TO_SERVER, Operation.SET_DATA)).isEqualTo(2);
		}
	}

	@Test
	@Tag("H22")
	void lostHoldHasNoToken() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks losing = registry(proxy, Duration.ofSeconds(4));
		LockLease lease = losing.lock("lock").acquire();
		assertThat(lease.fencingToken()).isPositive();
		proxy.swallow();
		awaitLeaseEnd(losing);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::fencingToken)
			.withMessageContaining("'lock'");
	}

	@Test
	void tokenThatIsNotAnsweredEndsWithTheLease() throws Exception {
		FaultProxy proxy = proxy();
		ZooKeeperLocks losing = registry(proxy, Duration.ofSeconds(4));
		LockLease holder = this.lock.acquire();
		CompletableFuture<LockLease> waiting = losing.lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		holder.close();
		LockLease lease = get(waiting);
		proxy.swallow();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::fencingToken);
		assertThat(lease.isHeld()).isFalse();
	}

}
