package io.github.zklock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.zklock.LockContender;
import io.github.zklock.LockLease;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

/**
 * Taking a lock away from whoever holds it.
 */
class BreakLockTests extends LockTestSupport {

	private static final String NAME = "lock";

	private final ZooKeeperLocks locks = registry();

	private final ZooKeeperLocks others = registry();

	BreakLockTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * Take away the lock of a node, as somebody who has listed it does a moment later.
	 */
	private void takeAway(String node) {
		keeper(this.locks).dependents()
			.stream()
			.filter(LockQueue.class::isInstance)
			.map(LockQueue.class::cast)
			.forEach((queue) -> queue.takeAway(node));
	}

	private String holder() {
		return this.locks.queue(NAME)
			.stream()
			.filter(LockContender::holding)
			.map(LockContender::node)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void nobodyHoldsIt() {
		assertThat(this.locks.breakLock(NAME)).isFalse();
	}

	@Test
	void holderOfTheSameInstanceLosesIt() throws Exception {
		LockLease lease = this.locks.lock(NAME).acquire();
		CompletableFuture<LockLease> next = acquire(this.others.lock(NAME));
		awaitNodes(NAME, 2);
		assertThat(this.locks.breakLock(NAME)).isTrue();
		assertThat(lease.isHeld()).isFalse();
		get(next).close();
	}

	@Test
	void holderOfAnotherInstanceLosesIt() throws Exception {
		LockLease lease = this.others.lock(NAME).acquire();
		CompletableFuture<LockLease> next = acquire(this.locks.lock(NAME));
		awaitNodes(NAME, 2);
		assertThat(this.locks.breakLock(NAME)).isTrue();
		get(next).close();
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
	}

	@Test
	void allReadersLoseIt() throws Exception {
		LockLease mine = this.locks.readLock(NAME).acquire();
		LockLease mineToo = this.locks.readLock(NAME).acquire();
		LockLease theirs = this.others.readLock(NAME).acquire();
		CompletableFuture<LockLease> writer = acquire(this.locks.lock(NAME));
		awaitNodes(NAME, 4);
		assertThat(this.locks.breakLock(NAME)).isTrue();
		assertThat(List.of(mine, mineToo)).noneMatch(LockLease::isHeld);
		await().atMost(PATIENCE).until(() -> !theirs.isHeld());
		assertThat(get(writer).isHeld()).as("whoever waited has not been meant").isTrue();
		get(writer).close();
	}

	@Test
	void laterHolderIsNotMeant() throws Exception {
		LockLease first = this.locks.lock(NAME).acquire();
		String node = holder();
		first.close();
		try (LockLease second = this.locks.lock(NAME).acquire()) {
			takeAway(node);
			assertThat(second.isHeld()).isTrue();
			takeAway(holder());
			assertThat(second.isHeld()).isFalse();
		}
	}

	/**
	 * The node is kept without a holder until it is known whether others wait. Whoever
	 * would be handed the lock next must not get it with a node that is about to go.
	 */
	@Test
	void nodeBetweenTwoHoldersIsNotHandedOn() throws Exception {
		LockLease first = this.locks.lock(NAME).acquire();
		String node = holder();
		CountDownLatch loopMayGoOn = new CountDownLatch(1);
		keeper(this.locks).loop().execute(() -> {
			try {
				assertThat(Patience.await(loopMayGoOn)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		CompletableFuture<LockLease> next = acquire(this.locks.lock(NAME));
		await().atMost(PATIENCE).until(() -> !this.locks.waiting().isEmpty());
		first.close();
		assertThat(next).isNotDone();
		takeAway(node);
		loopMayGoOn.countDown();
		try (LockLease second = get(next)) {
			assertThat(second.isHeld()).isTrue();
			assertThat(holder()).isNotEqualTo(node);
		}
	}

	@Test
	@SuppressWarnings("NullAway")
	void nameIsChecked() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.breakLock(""));
		assertThatNullPointerException().isThrownBy(() -> this.locks.breakLock(null));
		assertThatNullPointerException().isThrownBy(() -> this.locks.queue(null)).withMessageContaining("null");
		assertThatNullPointerException().isThrownBy(() -> this.locks.queueOfRole(null)).withMessageContaining("null");
	}

}
