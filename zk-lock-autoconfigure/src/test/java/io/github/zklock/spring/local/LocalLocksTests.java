package io.github.zklock.spring.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRegistry;
import io.github.zklock.NamedLock;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.spring.local.Request.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What is special to locks without ZooKeeper.
 */
class LocalLocksTests extends RegistryTestSupport {

	private final LocalLocks locks = new LocalLocks();

	@Override
	LockRegistry create(Duration handOverWait, List<LockListener> listeners) {
		return new LocalLocks(handOverWait, listeners);
	}

	@Test
	void joiningIsWinning() {
		LeaderElection election = this.locks.election("role");
		election.join();
		assertThat(election.leadership().isLeader()).isTrue();
		election.leave();
		election.join();
		assertThat(election.leadership().isLeader()).isTrue();
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
	void readersAndWritersKeepTheOrderOfArrival() throws Exception {
		LockLease first = this.locks.lock("lock").acquire();
		List<String> order = Collections.synchronizedList(new ArrayList<>());
		List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
		for (String kind : List.of("write", "read", "write", "read", "write")) {
			NamedLock lock = kind.equals("read") ? this.locks.readLock("lock") : this.locks.writeLock("lock");
			String name = kind + waiters.size();
			waiters.add(run(() -> {
				lock.lock();
				order.add(name);
				lock.unlock();
			}));
			awaitWaiting(this.locks, waiters.size());
		}
		first.close();
		for (CompletableFuture<Boolean> waiter : waiters) {
			get(waiter);
		}
		assertThat(order).containsExactly("write0", "read1", "write2", "read3", "write4");
	}

	@Test
	void handOverWaitIsChecked() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LocalLocks(Duration.ofNanos(-1), List.of()))
			.withMessageContaining("'handOverWait'");
	}

	// Memory

	@Test
	void namesAreForgotten() throws Exception {
		for (int index = 0; index < 100; index++) {
			useInEveryWay("name-" + index);
			assertThat(this.locks.knownNames()).isZero();
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
		assertThat(this.locks.knownNames()).as("one held, by one thread").isEqualTo(2);
		lock.unlock();
		get(granted).close(Duration.ofDays(1));
		assertThat(this.locks.breakLock(name)).isTrue();
		lock.lock();
		assertThat(this.locks.breakLock(name)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		lock.acquire().close(Duration.ofNanos(1));
		assertThat(this.locks.queue(name)).isEmpty();
		assertThat(this.locks.breakLock(name)).isFalse();
	}

	@Test
	void nameIsForgottenWhenLingeringEnds() throws Exception {
		this.locks.lock("lock").acquire().close(Duration.ofMillis(20));
		assertThat(this.locks.knownNames()).isEqualTo(1);
		await().atMost(PATIENCE).until(() -> this.locks.knownNames() == 0);
	}

	@Test
	void closedRegistryKeepsNothing() throws Exception {
		LockLease lease = this.locks.lock("lock").acquire();
		this.locks.lock("lingering").acquire().close(Duration.ofDays(1));
		this.locks.lock("mine").lock();
		CompletableFuture<LockLease> waiting = this.locks.lock("lock").acquireAsync(PATIENCE);
		this.locks.close();
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiting).failsWithin(PATIENCE);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.locks.lock("mine")::unlock);
		assertThat(this.locks.knownNames()).isZero();
	}

	@Test
	void closesWhateverTheLongestWait() throws Exception {
		LocalLocks patient = new LocalLocks(Duration.ZERO, Duration.ofSeconds(Long.MAX_VALUE), List.of());
		LockLease lease = patient.lock("lock").acquire();
		CompletableFuture<LockLease> waiting = patient.lock("lock").acquireAsync(PATIENCE);
		CompletableFuture<Boolean> closing = run(patient::close);
		assertThat(waiting).as("refused by close").failsWithin(PATIENCE);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		get(closing);
		assertThat(patient.knownNames()).isZero();
	}

	@Test
	void threadsEndWithTheRegistry() throws Exception {
		Services services = new Services(List.of());
		LockTable table = new LockTable(services);
		get(new LocalNamedLock(table, "lock", LockMode.WRITE).acquireAsync(PATIENCE)).close(Duration.ofDays(1));
		new LocalNamedLock(table, "lock", LockMode.WRITE).acquireAsync(PATIENCE).cancel(false);
		String prefix = "zk-lock-" + services.instance();
		assertThat(threads(prefix)).isNotEmpty().allMatch(Thread::isDaemon);
		services.refuse();
		table.close();
		services.close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads(prefix)).isEmpty());
	}

	private static List<Thread> threads(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.toList();
	}

	// Losing

	/**
	 * A lock may be broken before its new holder has heard of the grant.
	 */
	@Test
	void lockThatIsBrokenBeforeAnybodyWasToldIsNotTold() {
		LockTable table = new LockTable(new Services(List.of()));
		Request request = request(1, Wait.forever());
		table.add(request);
		Hold hold = hold(request);
		assertThat(hold.isHeld()).isFalse();
		assertThat(table.takeAway("lock")).isTrue();
		assertThat(table.tell(hold)).isFalse();
		assertThat(hold.isHeld()).isFalse();
	}

	@Test
	void breakingRacesUse() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger lost = new AtomicInteger();
		List<CompletableFuture<Boolean>> users = new ArrayList<>();
		for (int user = 0; user < 3; user++) {
			NamedLock lock = (user == 0) ? this.locks.readLock("lock") : this.locks.lock("lock");
			// What the others lose may depend on who gets a processor
			boolean certain = user == 2;
			users.add(run(() -> {
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
					get(lock.acquireAsync(PATIENCE)).close();
				}
			}));
		}
		long start = System.nanoTime();
		for (int round = 0; round < 1_000
				|| (lost.get() == 0 && System.nanoTime() - start < PATIENCE.toNanos()); round++) {
			this.locks.breakLock("lock");
		}
		over.set(true);
		for (CompletableFuture<Boolean> user : users) {
			get(user);
		}
		assertThat(lost).hasPositiveValue();
		assertThat(this.locks.knownNames()).isZero();
	}

	// Waiting

	/**
	 * Whose time is over is not granted the lock any more, even if it has not noticed.
	 */
	@Test
	void lateRequestIsNotGranted() {
		LockTable table = new LockTable(new Services(List.of()));
		Request first = request(1, Wait.forever());
		Request late = request(2, Wait.ofNanos(1));
		Request patient = request(3, Wait.forever());
		List.of(first, late, patient).forEach(table::add);
		assertThat(table.close(hold(first), 0)).isTrue();
		assertThat(late.isDecided()).isTrue();
		assertThat(late.outcome()).isEqualTo(Outcome.REFUSED);
		assertThat(hold(patient).isClosed()).isFalse();
	}

	private static Request request(long number, Wait wait) {
		return new Request(number, "lock", LockMode.WRITE, null, wait);
	}

	private static Hold hold(Request request) {
		assertThat(request.isDecided()).isTrue();
		return Objects.requireNonNull(request.outcome().hold());
	}

}
