package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.local.LocalLocks;
import io.github.zklock.testing.DeepStack;
import io.github.zklock.testing.LeadershipRecorder;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Callers whose stack comes to its end somewhere in the middle: nobody else waits for
 * ever because of that.
 */
class DeepStackTests extends LockTestSupport {

	private static final int RUNS = 500;

	private final DeepStack stack = new DeepStack();

	DeepStackTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void whoIsCancelledInAnOutageLeavesTheOthersInOrder() throws Exception {
		FaultProxy proxy = proxy();
		proxy.refuse();
		ZooKeeperLocks locks = closing(
				builder(proxy.connectString(), LONG_SESSION).connectTimeout(PATIENCE.multipliedBy(10)).build());
		CompletableFuture<LockLease> patient = locks.lock("patient").acquireAsync(PATIENCE.multipliedBy(10));
		for (int run = 0; run < RUNS; run++) {
			CompletableFuture<LockLease> future = locks.lock("lock-" + run).acquireAsync(PATIENCE.multipliedBy(10));
			this.stack.run(() -> future.cancel(false));
			future.cancel(false);
		}
		proxy.heal();
		get(patient).close();
		try (LockLease lease = locks.lock("lock-1").acquire()) {
			assertThat(lease.isHeld()).isTrue();
		}
		await().atMost(PATIENCE).until(() -> keeper(locks).dependents().isEmpty());
	}

	@Test
	void localLockIsFreeAgain() throws Exception {
		try (LocalLocks locks = LocalLocks.builder().build()) {
			for (int run = 0; run < RUNS; run++) {
				NamedLock lock = (run % 3 == 0) ? locks.readLock("lock-" + run) : locks.lock("lock-" + run);
				this.stack.run(() -> use(lock));
			}
			for (int run = 0; run < RUNS; run++) {
				NamedLock lock = locks.lock("lock-" + run);
				assertThat(lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).as("run %s", run).isTrue();
				unlock(lock);
			}
			await().atMost(PATIENCE).until(() -> keeper(locks).dependents().isEmpty());
			assertThat(locks.waiting()).isEmpty();
			for (int run = 0; run < RUNS; run++) {
				assertThat(locks.queue("lock-" + run)).isEmpty();
			}
		}
	}

	/**
	 * Locks that are given back by deeper frames than those that took them.
	 */
	@Test
	void lockThatIsGivenBackSomehowIsFreeAgain() throws Exception {
		try (LocalLocks locks = LocalLocks.builder().build()) {
			List<LockLease> leases = new ArrayList<>();
			for (int run = 0; run < RUNS; run++) {
				LockLease lease = locks.lock("lock-" + run).acquire();
				leases.add(lease);
				this.stack.run(lease::close);
			}
			for (int run = 0; run < RUNS; run++) {
				if (leases.get(run).isHeld()) {
					// It was thrown out before it began
					leases.get(run).close();
				}
				Optional<LockLease> next = locks.lock("lock-" + run).tryAcquire(PATIENCE);
				assertThat(next).as("run %s", run).isPresent();
				next.get().close();
			}
		}
	}

	private static void use(NamedLock lock) {
		lock.lock();
		lock.unlock();
	}

	/**
	 * Unlock what an error of somebody else may have cost us.
	 */
	private static void unlock(NamedLock lock) {
		try {
			lock.unlock();
		}
		catch (LockLostException ex) {
			// with the session of this process
		}
	}

	@Test
	void leaderLeavesAfterItsWorkHasEndedSomehow() throws Exception {
		try (LocalLocks locks = LocalLocks.builder().handOverWait(Duration.ofSeconds(1)).build()) {
			LeaderElection election = locks.election("role");
			LeadershipRecorder recorder = new LeadershipRecorder(election);
			election.join();
			for (int run = 0; run < RUNS; run++) {
				Optional<LeaderWork> work = election.leadership().begin();
				if (work.isEmpty()) {
					// An earlier run has cost it
					await().atMost(PATIENCE).until(election.leadership()::isLeader);
					continue;
				}
				this.stack.run(work.get()::close);
				work.get().close();
			}
			get(election.leaveAsync());
			assertThat(election.leadership().isLeader()).isFalse();
			await().atMost(PATIENCE).until(() -> recorder.lastEvent().equals("revoked"));
			recorder.assertOrderly();
			try (LockLease lease = locks.lock("lock").acquire()) {
				assertThat(lease.isHeld()).isTrue();
			}
		}
	}

}
