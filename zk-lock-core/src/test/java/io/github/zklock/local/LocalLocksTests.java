package io.github.zklock.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.testing.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What is special to locks without ZooKeeper.
 */
class LocalLocksTests {

	private final LocalLocks locks = new LocalLocks();

	@AfterEach
	void close() {
		this.locks.close();
	}

	// Elections

	@Test
	void joiningIsWinning() {
		LeaderElection election = this.locks.election("role");
		for (int round = 0; round < 1_000; round++) {
			election.join();
			assertThat(election.leadership().isLeader()).isTrue();
			election.leave();
			assertThat(election.leadership().isLeader()).isFalse();
		}
	}

	@Test
	void joiningIsWinningWhileOthersAreBusy() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<Void>> users = new ArrayList<>();
		for (int user = 0; user < 3; user++) {
			NamedLock lock = this.locks.lock("lock-" + user % 2);
			users.add(CompletableFuture.runAsync(() -> {
				while (!over.get()) {
					lock.lock();
					lock.unlock();
				}
			}, (task) -> new Thread(task).start()));
		}
		joiningIsWinning();
		over.set(true);
		for (CompletableFuture<Void> user : users) {
			Patience.get(user);
		}
	}

	@Test
	void tokensOfLocksAndRolesGrowTogether() throws Exception {
		List<Long> tokens = new ArrayList<>();
		for (int round = 0; round < 3; round++) {
			try (LockLease lease = this.locks.lock("lock-" + round).acquire()) {
				tokens.add(lease.fencingToken());
			}
			this.locks.election("role").join();
			tokens.add(this.locks.election("role").leadership().fencingToken());
			this.locks.election("role").leave();
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void handOverWaitIsChecked() {
		assertThatIllegalArgumentException().isThrownBy(() -> LocalLocks.builder().handOverWait(Duration.ofNanos(-1)))
			.withMessageContaining("'handOverWait'");
	}

	// Memory

	@Test
	void nodesAreForgotten() throws Exception {
		useInEveryWay("lock");
		int some = this.locks.nodes().size();
		for (int index = 0; index < 100; index++) {
			useInEveryWay("name-" + index);
			assertThat(this.locks.nodes().size()).isEqualTo(some);
		}
	}

	private void useInEveryWay(String name) throws Exception {
		NamedLock lock = this.locks.lock(name);
		lock.lock();
		this.locks.readLock(name).lock();
		this.locks.readLock(name).unlock();
		CompletableFuture<LockLease> granted = lock.acquireAsync(PATIENCE);
		assertThat(lock.acquireAsync(Duration.ofNanos(1))).failsWithin(PATIENCE);
		lock.acquireAsync(PATIENCE).cancel(false);
		assertThat(lock.tryAcquire(Duration.ZERO)).isEmpty();
		lock.unlock();
		Patience.get(granted).close(Duration.ofDays(1));
		assertThat(this.locks.breakLock(name)).isTrue();
		lock.lock();
		assertThat(this.locks.breakLock(name)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		this.locks.readLock(name).acquire().close();
		assertThat(this.locks.queue(name)).isEmpty();
		assertThat(this.locks.breakLock(name)).isFalse();
	}

	@Test
	void closedRegistryHasNoNodes() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		this.locks.lock("lingering").acquire().close(Duration.ofDays(1));
		this.locks.lock("mine").lock();
		CompletableFuture<LockLease> waiting = this.locks.lock("lock").acquireAsync(PATIENCE);
		this.locks.close();
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiting).failsWithin(PATIENCE);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.locks.lock("mine")::unlock);
		assertThat(this.locks.nodes().size()).as("those that all locks share").isEqualTo(3);
	}

	// Threads

	@Test
	void threadsEndWithTheRegistry() throws Exception {
		Patience.get(this.locks.lock("lock").acquireAsync(PATIENCE));
		assertThat(threads()).isNotEmpty().allMatch(Thread::isDaemon);
		this.locks.close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads()).isEmpty());
	}

	private List<Thread> threads() {
		String prefix = "zk-lock-" + this.locks.instance();
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.toList();
	}

	// Losing

	@Test
	void breakingRacesUse() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger lost = new AtomicInteger();
		List<CompletableFuture<Void>> users = new ArrayList<>();
		for (int user = 0; user < 3; user++) {
			NamedLock lock = (user == 0) ? this.locks.readLock("lock") : this.locks.lock("lock");
			// What the others lose may depend on who gets a processor
			boolean certain = user == 2;
			users.add(CompletableFuture.runAsync(() -> {
				while (!over.get()) {
					lock.lock();
					while (certain && lost.get() == 0 && lock.isHeldByCurrentThread()) {
						Thread.onSpinWait();
					}
					try {
						lock.unlock();
					}
					catch (LockLostException ex) {
						lost.incrementAndGet();
					}
				}
			}, (task) -> new Thread(task).start()));
		}
		long start = System.nanoTime();
		for (int round = 0; round < 1_000
				|| (lost.get() == 0 && System.nanoTime() - start < PATIENCE.toNanos()); round++) {
			this.locks.breakLock("lock");
		}
		over.set(true);
		for (CompletableFuture<Void> user : users) {
			Patience.get(user);
		}
		assertThat(lost).hasPositiveValue();
		assertThat(this.locks.queue("lock")).isEmpty();
	}

}
