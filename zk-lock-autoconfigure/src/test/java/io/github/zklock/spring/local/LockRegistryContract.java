package io.github.zklock.spring.local;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockProbe;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LossReason;
import io.github.zklock.NamedLock;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What the callers of one process can rely on when they use locks, whichever type of
 * registry they have.
 */
abstract class LockRegistryContract extends RegistryTestSupport {

	private static final Duration A_MOMENT = Duration.ofMillis(30);

	private final Events events = new Events();

	private LockRegistry locks;

	private NamedLock lock;

	private NamedLock read;

	private NamedLock write;

	/**
	 * Make a registry that nobody else uses, and that waits for holders when it is
	 * closed.
	 */
	abstract LockRegistry createPatient(Duration closeWait);

	@BeforeEach
	void createRegistry() {
		this.locks = registry(PATIENCE, this.events);
		this.lock = this.locks.lock("lock");
		this.read = this.locks.readLock("lock");
		this.write = this.locks.writeLock("lock");
	}

	/**
	 * Let everything happen that can happen by itself.
	 */
	private void settle() {
		for (int roundTrip = 0; roundTrip < 3; roundTrip++) {
			inspector(this.locks).queue("lock");
		}
	}

	/**
	 * Nobody has the lock or waits for it.
	 */
	private void assertFree() throws Exception {
		assertThat(inspector(this.locks).held()).isEmpty();
		assertThat(inspector(this.locks).waiting()).isEmpty();
		assertThat(this.write.lease()).isEmpty();
		assertThat(this.read.lease()).isEmpty();
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(2))
			.untilAsserted(() -> assertThat(inspector(this.locks).queue("lock")).isEmpty());
		acquireAtOnce(this.write).close();
	}

	/**
	 * Acquire a lock that is free, without waiting for anybody.
	 */
	private static LockLease acquireAtOnce(NamedLock free) {
		return LockProbe.answered(() -> free.tryAcquire(Duration.ZERO)).orElseThrow();
	}

	/**
	 * Lock what is free or not, without waiting for anybody.
	 */
	private static boolean lockAtOnce(NamedLock any) {
		return LockProbe.answered(any::tryLock);
	}

	/**
	 * Whoever does not wait is refused.
	 */
	private void assertTaken(NamedLock excluded) throws Exception {
		assertThat(get(call(() -> excluded.tryLock()))).isFalse();
		assertThat(excluded.tryAcquire(Duration.ZERO)).isEmpty();
		assertTimeout(excluded.acquireAsync(Duration.ZERO));
	}

	private static void assertTimeout(CompletableFuture<LockLease> future) {
		assertThat(future).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class)
			.withMessageContaining("'lock'");
	}

	private static void assertNotHeld(ThrowingCallable call) {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(call).withMessageContaining("'lock'");
	}

	private static void assertLost(ThrowingCallable call) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(call)
			.withMessageContaining("'lock'")
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("lock"));
	}

	private static void assertClosed(ThrowingCallable call) {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call)
			.withMessageContaining("'lock'")
			.withMessageContaining("closed")
			.satisfies((ex) -> assertThat(ex.name()).isEqualTo("lock"));
	}

	// Owned by a thread

	@Test
	void excludesOtherThreads() throws Exception {
		this.lock.lock();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertTaken(this.lock);
		assertThat(get(call(() -> this.lock.tryLock(20, TimeUnit.MILLISECONDS)))).isFalse();
		assertThat(get(call(this.lock::isHeldByCurrentThread))).isFalse();
		assertThat(get(call(this.lock::lease))).isEmpty();
		CompletableFuture<Boolean> other = call(() -> {
			this.lock.lock();
			boolean held = this.lock.isHeldByCurrentThread();
			this.lock.unlock();
			return held;
		});
		awaitWaiting(this.locks, 1);
		this.lock.unlock();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(get(other)).isTrue();
		assertFree();
	}

	@Test
	void everyWayOfLockingEntersAgain() throws Exception {
		this.locks.lock("lock").lock();
		this.locks.lock("lock").lock();
		this.locks.writeLock("lock").lockInterruptibly();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.write.tryLock(1, TimeUnit.SECONDS)).isTrue();
		for (int inner = 0; inner < 4; inner++) {
			this.lock.unlock();
			assertThat(this.write.isHeldByCurrentThread()).isTrue();
			assertTaken(this.lock);
		}
		this.lock.unlock();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertFree();
	}

	@Test
	void differentNamesAreDifferentLocks() throws Exception {
		this.lock.lock();
		assertThat(lockAtOnce(this.locks.lock("other"))).isTrue();
		assertThat(get(call(() -> this.locks.lock("other").tryLock()))).isFalse();
		this.locks.lock("other").unlock();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void registriesOfDifferentRootsShareNothing() {
		LockRegistry other = registry(PATIENCE);
		this.lock.lock();
		assertThat(other.lock("lock").isHeldByCurrentThread()).isFalse();
		assertThat(lockAtOnce(other.lock("lock"))).isTrue();
		other.lock("lock").unlock();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
	}

	@Test
	void strangerCannotUnlock() throws Exception {
		assertNotHeld(this.lock::unlock);
		this.lock.lock();
		assertThat(run(this.lock::unlock)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalMonitorStateException.class);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
		assertNotHeld(this.lock::unlock);
		assertFree();
	}

	@Test
	void leaseOfAThreadEndsItsWholeHold() throws Exception {
		assertThat(this.lock.lease()).isEmpty();
		this.lock.lock();
		this.lock.lock();
		LockLease lease = this.lock.lease().orElseThrow();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.name()).isEqualTo("lock");
		get(run(lease::close));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.lease()).isEmpty();
		assertFree();
		assertNotHeld(this.lock::unlock);
		this.lock.lock();
		lease.close();
		assertThat(this.lock.isHeldByCurrentThread()).as("closing an old lease does not touch the present one")
			.isTrue();
		this.lock.unlock();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	// Owned by whoever has the lease

	@Test
	void anyThreadClosesALease() throws Exception {
		LockLease lease = this.lock.acquire();
		assertThat(lease.isHeld()).isTrue();
		assertThat(lease.name()).isEqualTo("lock");
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.lease()).isEmpty();
		assertNotHeld(this.lock::unlock);
		assertThat(this.lock.tryLock()).as("not re-entrant").isFalse();
		assertTaken(this.lock);
		get(run(lease::close));
		assertThat(lease.isHeld()).isFalse();
		lease.close();
		try (LockLease next = acquireAtOnce(this.lock)) {
			lease.close();
			lease.close(Duration.ofDays(1));
			assertThat(next.isHeld()).as("closing an old lease does not touch the present one").isTrue();
			assertTaken(this.lock);
		}
		assertFree();
	}

	@Test
	void threadsOwnLeaseWaitsForIt() throws Exception {
		this.lock.lock();
		assertThat(this.lock.tryAcquire(Duration.ZERO)).isEmpty();
		assertThat(this.lock.tryAcquire(A_MOMENT)).isEmpty();
		CompletableFuture<LockLease> lease = this.lock.acquireAsync(PATIENCE);
		settle();
		assertThat(lease).isNotDone();
		this.lock.unlock();
		get(lease).close();
		assertFree();
	}

	@Test
	void waitIsAsLongAsItWasToBe() throws Exception {
		try (LockLease lease = this.lock.acquire()) {
			long start = System.nanoTime();
			assertThat(this.lock.tryAcquire(Duration.ofMillis(100))).isEmpty();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100), PATIENCE);
			start = System.nanoTime();
			assertTimeout(this.lock.acquireAsync(Duration.ofMillis(100)));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100), PATIENCE);
			assertThat(inspector(this.locks).waiting()).isEmpty();
			assertThat(lease.isHeld()).isTrue();
		}
		assertFree();
	}

	@Test
	void grantsInTheOrderOfArrival() throws Exception {
		LockLease first = this.lock.acquire();
		List<Integer> order = Collections.synchronizedList(new ArrayList<>());
		List<CompletableFuture<?>> waiters = new ArrayList<>();
		for (int waiter = 0; waiter < 8; waiter++) {
			int own = waiter;
			if (waiter % 2 == 0) {
				waiters.add(run(() -> {
					this.lock.lock();
					order.add(own);
					this.lock.unlock();
				}));
			}
			else {
				waiters.add(this.write.acquireAsync(PATIENCE).thenAccept((lease) -> {
					order.add(own);
					lease.close();
				}));
			}
			awaitWaiting(this.locks, waiter + 1);
		}
		first.close();
		for (CompletableFuture<?> waiter : waiters) {
			get(waiter);
		}
		assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
		assertFree();
	}

	@Test
	void onlyOneAtATime() throws Exception {
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger readers = new AtomicInteger();
		List<CompletableFuture<Boolean>> users = new ArrayList<>();
		for (int user = 0; user < 6; user++) {
			boolean reading = user >= 4;
			users.add(run(() -> {
				for (int round = 0; round < 100; round++) {
					try (LockLease lease = (reading ? this.read : this.write).acquire()) {
						AtomicInteger own = reading ? readers : writers;
						int present = own.incrementAndGet();
						assertThat(reading ? writers.get() : present - 1 + readers.get()).isZero();
						assertThat(lease.isHeld()).isTrue();
						own.decrementAndGet();
					}
				}
			}));
		}
		for (CompletableFuture<Boolean> user : users) {
			get(user);
		}
		assertFree();
	}

	// Lingering

	@Test
	void closeWithMinimumLingersForNobody() throws Exception {
		LockLease lease = this.lock.acquire();
		lease.close(Duration.ofSeconds(Long.MAX_VALUE));
		assertThat(lease.isHeld()).isFalse();
		assertThatIllegalStateException().isThrownBy(lease::fencingToken);
		lease.close();
		assertThat(inspector(this.locks).held()).isEmpty();
		assertTaken(this.lock);
		assertTaken(this.read);
	}

	@Test
	void lingeringEndsByItself() throws Exception {
		long start = System.nanoTime();
		LockLease lease = this.lock.acquire();
		lease.close(Duration.ofMillis(150));
		this.lock.acquire().close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(150), PATIENCE);
		assertFree();
	}

	@Test
	void threadsHoldLingersToo() throws Exception {
		this.lock.lock();
		this.lock.lock();
		this.lock.lease().orElseThrow().close(Duration.ofDays(1));
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.lease()).isEmpty();
		assertThat(this.lock.tryLock()).as("belongs to nobody, the same thread is refused too").isFalse();
		assertNotHeld(this.lock::unlock);
		assertThat(inspector(this.locks).breakLock("lock")).isTrue();
		this.lock.lock();
		this.lock.lease().orElseThrow().close(Duration.ofMillis(150));
		this.lock.lock();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void readersLeaseLingers() throws Exception {
		LockLease lease = this.read.acquire();
		lease.close(Duration.ofDays(1));
		assertTaken(this.write);
		acquireAtOnce(this.read).close();
		assertTaken(this.write);
	}

	@Test
	void minimumThatHasPassedIsAnOrdinaryClose() throws Exception {
		LockLease lease = this.lock.acquire();
		lease.close(Duration.ofNanos(1));
		assertFree();
	}

	// Tokens

	@Test
	void tokenGrowsFromHolderToHolder() throws Exception {
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		for (int round = 0; round < 5; round++) {
			LockLease first = this.lock.acquire();
			List<CompletableFuture<Void>> next = new ArrayList<>();
			for (NamedLock waiting : List.of(this.lock, this.write, this.lock)) {
				next.add(waiting.acquireAsync(PATIENCE).thenAccept((lease) -> {
					tokens.add(lease.fencingToken());
					lease.close();
				}));
			}
			tokens.add(first.fencingToken());
			first.close();
			for (CompletableFuture<Void> done : next) {
				get(done);
			}
		}
		assertThat(tokens).hasSize(20).doesNotHaveDuplicates().isSorted().allMatch((token) -> token > 0);
	}

	@Test
	void tokenOfAReaderIsBetweenThoseOfTheWriters() throws Exception {
		LockLease writer = this.write.acquire();
		long before = writer.fencingToken();
		writer.close();
		LockLease reader = this.read.acquire();
		long between = reader.fencingToken();
		reader.close();
		LockLease later = this.write.acquire();
		assertThat(List.of(before, between, later.fencingToken())).isSorted().doesNotHaveDuplicates();
		later.close();
	}

	@Test
	void tokenIsThatOfTheOutermostHold() {
		this.write.lock();
		LockLease lease = this.write.lease().orElseThrow();
		long token = lease.fencingToken();
		this.read.lock();
		assertThat(this.read.lease().orElseThrow().fencingToken()).isEqualTo(token);
		this.write.unlock();
		assertThat(lease.fencingToken()).isEqualTo(token);
		this.read.unlock();
		assertThatIllegalStateException().isThrownBy(lease::fencingToken).withMessageContaining("'lock'");
	}

	// Interrupts

	@Test
	void interruptEndsAWaitAndLeavesTheQueue() throws Exception {
		LockLease lease = this.lock.acquire();
		for (Task waiting : List.<Task>of(this.lock::acquire, this.lock::lockInterruptibly, this.read::acquire,
				() -> this.lock.tryAcquire(PATIENCE), () -> this.lock.tryLock(1, TimeUnit.DAYS))) {
			AtomicReference<Thread> waiter = new AtomicReference<>();
			CompletableFuture<Boolean> interrupted = run(() -> {
				waiter.set(Thread.currentThread());
				waiting.run();
			});
			awaitWaiting(this.locks, 1);
			waiter.get().interrupt();
			assertThat(interrupted).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(InterruptedException.class);
			assertThat(inspector(this.locks).waiting()).isEmpty();
		}
		lease.close();
		assertFree();
	}

	@Test
	void interruptBeforehandIsNoticed() throws Exception {
		for (ThrowingCallable asking : List.<ThrowingCallable>of(this.lock::lockInterruptibly, this.lock::acquire,
				() -> this.lock.tryLock(1, TimeUnit.SECONDS), () -> this.lock.tryAcquire(Duration.ZERO))) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(asking);
			assertThat(Thread.interrupted()).isFalse();
		}
		assertFree();
	}

	@Test
	void lockAndUnlockKeepAnInterruptForLater() throws Exception {
		LockLease lease = this.lock.acquire();
		AtomicReference<Thread> waiter = new AtomicReference<>();
		CompletableFuture<Boolean> waiting = call(() -> {
			waiter.set(Thread.currentThread());
			this.lock.lock();
			this.lock.unlock();
			return Thread.interrupted();
		});
		awaitWaiting(this.locks, 1);
		waiter.get().interrupt();
		settle();
		assertThat(inspector(this.locks).waiting()).hasSize(1);
		lease.close();
		assertThat(get(waiting)).isTrue();
		Thread.currentThread().interrupt();
		assertThat(lockAtOnce(this.lock)).isTrue();
		this.lock.unlock();
		assertThat(Thread.interrupted()).isTrue();
		assertFree();
	}

	// Futures

	@Test
	void futureGivesALeaseOnAThreadOfTheLibrary() throws Exception {
		LockLease before = this.lock.acquire();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<LockLease> future = this.lock.acquireAsync(PATIENCE).thenApply((granted) -> {
			thread.complete(Thread.currentThread());
			return granted;
		});
		before.close();
		try (LockLease lease = get(future)) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(this.lock.isHeldByCurrentThread()).isFalse();
			assertThat(get(thread).isDaemon()).isTrue();
			assertThat(get(thread).getName()).startsWith("zk-lock-");
		}
		LockProbe.answered(() -> get(this.lock.acquireAsync(Duration.ZERO))).close();
		assertFree();
	}

	@Test
	void futuresActionMayUseLocksAndTakeItsTime() throws Exception {
		LockLease before = this.lock.acquire();
		CountDownLatch slow = new CountDownLatch(1);
		CompletableFuture<Boolean> first = this.lock.acquireAsync(PATIENCE).thenApply((lease) -> {
			lease.close();
			this.lock.lock();
			this.lock.unlock();
			return awaitLatch(slow);
		});
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		before.close();
		get(second).close();
		slow.countDown();
		assertThat(get(first)).isTrue();
	}

	private static boolean awaitLatch(CountDownLatch latch) {
		try {
			return latch.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Test
	void whoeverCompletesAFutureLeavesTheQueue() throws Exception {
		LockLease lease = this.lock.acquire();
		CompletableFuture<LockLease> cancelled = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> timedOut = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> failed = this.read.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> completed = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> behind = this.lock.acquireAsync(PATIENCE);
		assertThat(inspector(this.locks).waiting()).hasSize(5);
		assertThat(cancelled.cancel(true)).isTrue();
		assertThat(timedOut.orTimeout(1, TimeUnit.MILLISECONDS)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(TimeoutException.class);
		assertThat(failed.completeExceptionally(new IllegalStateException())).isTrue();
		assertThat(completed.complete(lease)).isTrue();
		awaitWaiting(this.locks, 1);
		lease.close();
		get(behind).close();
		assertFree();
	}

	@Test
	void writerThatLeavesLetsTheReadersBehindIn() throws Exception {
		LockLease reading = this.read.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> timedOut = this.write.acquireAsync(Duration.ofMillis(100));
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		writer.cancel(false);
		get(reader).close();
		assertTimeout(timedOut);
		reading.close();
		assertFree();
	}

	@Test
	void waitThatIsOverBeforeItBeginsLeavesNothing() throws Exception {
		LockLease lease = this.lock.acquire();
		List<CompletableFuture<LockLease>> futures = new ArrayList<>();
		for (int attempt = 0; attempt < 200; attempt++) {
			futures.add(((attempt % 2 == 0) ? this.lock : this.read).acquireAsync(Duration.ofNanos(1)));
		}
		futures.forEach(LockRegistryContract::assertTimeout);
		lease.close();
		assertFree();
	}

	@Test
	void cancelRacesGrant() throws Exception {
		int granted = 0;
		int cancelled = 0;
		LockLease lease = this.lock.acquire();
		long start = System.nanoTime();
		for (int race = 0; race < 200_000; race++) {
			boolean enough = race >= 2_000 || System.nanoTime() - start > PATIENCE.toNanos();
			if (enough && granted > 0 && cancelled > 0) {
				break;
			}
			CompletableFuture<LockLease> next = this.lock.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> behind = this.lock.acquireAsync(PATIENCE);
			int lead = race % 64;
			CompletableFuture<Boolean> cancelling = call(() -> {
				spin(lead);
				return next.cancel(false);
			});
			spin(2 * (64 - lead));
			lease.close();
			if (get(cancelling)) {
				cancelled++;
			}
			else {
				granted++;
				next.get().close();
			}
			lease = get(behind);
		}
		lease.close();
		assertThat(granted).as("granted").isPositive();
		assertThat(cancelled).as("cancelled").isPositive();
		assertFree();
	}

	private static void spin(int rounds) {
		for (int round = 0; round < 10 * rounds; round++) {
			Thread.onSpinWait();
		}
	}

	// Readers and writers

	@Test
	void readersShareTheLock() throws Exception {
		this.read.lock();
		get(run(() -> {
			assertThat(lockAtOnce(this.read)).isTrue();
			assertThat(this.read.isHeldByCurrentThread()).isTrue();
			this.read.unlock();
		}));
		LockLease lease = this.read.acquire();
		LockLease another = acquireAtOnce(this.read);
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
		assertThat(List.of(lease, another)).allMatch(LockLease::isHeld);
		lease.close();
		assertTaken(this.write);
		another.close();
		assertFree();
	}

	@Test
	void readersAndWritersWaitForEachOther() throws Exception {
		for (NamedLock exclusive : List.of(this.lock, this.write)) {
			assertWaitsFor(exclusive, this.read);
			assertWaitsFor(this.read, exclusive);
		}
	}

	private void assertWaitsFor(NamedLock held, NamedLock excluded) throws Exception {
		LockLease lease = held.acquire();
		assertTaken(excluded);
		CompletableFuture<LockLease> waiting = excluded.acquireAsync(PATIENCE);
		settle();
		assertThat(waiting).isNotDone();
		lease.close();
		get(waiting).close();
		assertFree();
	}

	@Test
	void readerBehindAWaitingWriterWaits() throws Exception {
		LockLease first = this.read.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		assertTaken(this.read);
		CompletableFuture<LockLease> second = this.read.acquireAsync(PATIENCE);
		settle();
		assertThat(writer).isNotDone();
		assertThat(second).isNotDone();
		first.close();
		LockLease writing = get(writer);
		settle();
		assertThat(second).isNotDone();
		writing.close();
		get(second).close();
		assertFree();
	}

	@Test
	void readersThatWaitTogetherRunTogether() throws Exception {
		LockLease writing = this.write.acquire();
		CompletableFuture<LockLease> first = this.read.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> second = this.read.acquireAsync(PATIENCE);
		settle();
		writing.close();
		LockLease reading = get(first);
		LockLease readingToo = get(second);
		assertThat(reading.isHeld()).isTrue();
		assertThat(readingToo.isHeld()).isTrue();
		reading.close();
		readingToo.close();
		assertFree();
	}

	@Test
	void readerEntersAgainWhileAWriterWaits() throws Exception {
		this.read.lock();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		settle();
		this.read.lock();
		assertThat(this.read.tryLock()).isTrue();
		assertThat(this.read.tryLock(1, TimeUnit.SECONDS)).isTrue();
		this.read.lockInterruptibly();
		for (int inner = 0; inner < 4; inner++) {
			this.read.unlock();
			assertThat(this.read.isHeldByCurrentThread()).isTrue();
		}
		settle();
		assertThat(writer).isNotDone();
		this.read.unlock();
		get(writer).close();
		assertFree();
	}

	@Test
	void lockStaysExclusiveWhenTheWriterGoesOnReading() throws Exception {
		this.write.lock();
		this.read.lock();
		assertThat(this.read.tryLock()).isTrue();
		this.read.unlock();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		this.write.unlock();
		settle();
		assertThat(reader).isNotDone();
		assertTaken(this.read);
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
		get(reader).close();
		assertFree();
	}

	@Test
	void readerMayNotWrite() throws Exception {
		this.read.lock();
		assertWritingIsRefusedAtOnce();
		this.read.unlock();
		assertNotHeld(this.read::unlock);
		assertFree();
		this.write.lock();
		this.read.lock();
		this.write.unlock();
		assertWritingIsRefusedAtOnce();
		this.read.unlock();
		assertFree();
	}

	private void assertWritingIsRefusedAtOnce() throws Exception {
		for (NamedLock exclusive : List.of(this.write, this.lock)) {
			assertNotHeld(exclusive::lock);
			assertNotHeld(exclusive::lockInterruptibly);
			assertNotHeld(exclusive::tryLock);
			assertNotHeld(() -> exclusive.tryLock(1, TimeUnit.DAYS));
			assertNotHeld(exclusive::unlock);
			assertThat(exclusive.isHeldByCurrentThread()).isFalse();
			assertThat(exclusive.lease()).isEmpty();
			assertThat(exclusive.tryAcquire(A_MOMENT)).as("a lease waits").isEmpty();
		}
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		assertThat(inspector(this.locks).waiting()).isEmpty();
	}

	@Test
	void whatAThreadHoldsIsToldByMode() throws Exception {
		this.read.lock();
		assertThat(this.read.lease()).isPresent();
		assertThat(this.write.isHeldByCurrentThread()).isFalse();
		assertThat(this.write.lease()).isEmpty();
		this.read.unlock();
		this.write.lock();
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
		assertThat(this.read.lease()).isEmpty();
		assertNotHeld(this.read::unlock);
		assertThat(this.lock.lease()).isPresent().isEqualTo(this.write.lease());
		this.read.lock();
		assertThat(this.read.lease()).isEqualTo(this.write.lease());
		this.write.unlock();
		assertThat(this.write.lease()).isEmpty();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.lock();
		this.read.lease().orElseThrow().close();
		assertNotHeld(this.read::unlock);
		assertFree();
	}

	// Names and times

	@Test
	@SuppressWarnings("NullAway")
	void badNamesAndTimesAreNamed() throws Exception {
		assertThatNullPointerException().isThrownBy(() -> this.locks.lock(null)).withMessageContaining("name");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.lock("")).withMessageContaining("empty");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.readLock("")).withMessageContaining("empty");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.writeLock("\ud800"))
			.withMessageContaining("Unicode");
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.tryAcquire(Duration.ofNanos(-1)))
			.withMessageContaining("'lock'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.lock.acquireAsync(Duration.ofSeconds(Long.MIN_VALUE)))
			.withMessageContaining("'lock'");
		try (LockLease lease = this.lock.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow()) {
			assertThatIllegalArgumentException().isThrownBy(() -> lease.close(Duration.ofNanos(-1)))
				.withMessageContaining("'lock'");
			assertThat(lease.isHeld()).isTrue();
		}
		get(this.lock.acquireAsync(Duration.ofSeconds(Long.MAX_VALUE))).close();
		assertThat(LockProbe.answered(() -> this.lock.tryLock(-5, TimeUnit.DAYS))).isTrue();
		assertThat(get(call(() -> this.lock.tryLock(-5, TimeUnit.DAYS)))).isFalse();
		this.lock.unlock();
		assertThat(this.lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void anyNameIsALock() throws Exception {
		for (String name : List.of("/", "..", ".", "a/../../b", "\u0000", "\uD83D\uDD12", " ", "%", "%2F",
				"x".repeat(4096), "\u00e9\u20ac", "zookeeper", "\n", "locks")) {
			try (LockLease lease = this.locks.lock(name).acquire()) {
				assertThat(lease.name()).isEqualTo(name);
				assertThat(this.locks.lock(name).tryLock()).isFalse();
			}
		}
	}

	@Test
	void locksSayWhatTheyAre() {
		assertThat(this.lock).hasToString("Lock 'lock'");
		assertThat(this.write).hasToString("Lock 'lock'");
		assertThat(this.read).hasToString("Read lock 'lock'");
	}

	// Listeners

	@Test
	void listenerHearsOfEverythingInOrder() throws Exception {
		this.lock.lock();
		this.lock.lock();
		this.read.lock();
		this.events.await("acquired lock");
		assertThat(this.lock.lease().orElseThrow().isHeld()).isTrue();
		this.read.unlock();
		this.lock.unlock();
		this.lock.unlock();
		this.events.await("acquired lock", "released lock");
		LockLease lease = this.lock.acquire();
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(this.lock.tryAcquire(A_MOMENT)).isEmpty();
		assertTimeout(this.lock.acquireAsync(A_MOMENT));
		this.lock.acquireAsync(PATIENCE).cancel(false);
		this.events.await("acquired lock", "released lock", "acquired lock", "timedOut lock", "timedOut lock",
				"timedOut lock");
		this.events.clear();
		lease.close(Duration.ofMillis(1));
		lease.close();
		LockLease lost = this.lock.acquire();
		close(this.locks);
		lost.close();
		assertClosed(this.lock::lock);
		this.events.await("released lock", "acquired lock", "lost lock", "failed lock");
	}

	@Test
	void slowAndThrowingListenersHurtNobody() throws Exception {
		CountDownLatch slow = new CountDownLatch(1);
		LockRegistry registry = registry(PATIENCE, new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				throw new IllegalStateException("from a listener");
			}

			@Override
			public void released(LockLease lease, Duration held) {
				Thread.currentThread().interrupt();
			}

		}, new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				awaitLatch(slow);
			}

		}, this.events);
		for (int round = 0; round < 3; round++) {
			get(registry.lock("lock").acquireAsync(PATIENCE)).close();
		}
		this.events.await("acquired lock", "released lock", "acquired lock", "released lock", "acquired lock",
				"released lock");
		slow.countDown();
	}

	private static class Events implements LockListener {

		private final List<String> events = new CopyOnWriteArrayList<>();

		@Override
		public void acquired(LockLease lease, Duration waited) {
			add("acquired", lease.name(), waited, true);
		}

		@Override
		public void released(LockLease lease, Duration held) {
			add("released", lease.name(), held, !lease.isHeld());
		}

		@Override
		public void lost(LockLease lease, Duration held) {
			add("lost", lease.name(), held, !lease.isHeld());
		}

		@Override
		public void timedOut(String name, Duration waited) {
			add("timedOut", name, waited, true);
		}

		@Override
		public void failed(String name, Duration waited, LockException cause) {
			add("failed", name, waited, cause instanceof LockUnavailableException);
		}

		private void add(String event, String name, Duration time, boolean asExpected) {
			this.events.add((asExpected && !time.isNegative()) ? event + " " + name : "unexpected " + event);
		}

		void clear() {
			this.events.clear();
		}

		void await(String... expected) {
			Awaitility.await()
				.atMost(PATIENCE)
				.pollInterval(Duration.ofMillis(2))
				.untilAsserted(() -> assertThat(this.events).containsExactly(expected));
		}

	}

	// For people to look at

	@Test
	void ownLocksAreSeen() throws Exception {
		Instant before = Instant.now().minusMillis(1);
		this.locks.lock("mine").lock();
		LockLease reader = this.read.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		awaitWaiting(this.locks, 1);
		CompletableFuture<Boolean> thread = run(() -> {
			this.lock.lock();
			this.lock.unlock();
		});
		awaitWaiting(this.locks, 2);
		assertThat(inspector(this.locks).held()).extracting(LocalLock::name, LocalLock::mode, LocalLock::thread)
			.containsExactly(tuple("mine", LockMode.WRITE, Thread.currentThread().getName()),
					tuple("lock", LockMode.READ, null));
		assertThat(inspector(this.locks).held().get(0).since()).isBetween(before, Instant.now());
		List<LocalLock> waiting = inspector(this.locks).waiting();
		assertThat(waiting).extracting(LocalLock::name, LocalLock::mode)
			.containsExactly(tuple("lock", LockMode.WRITE), tuple("lock", LockMode.WRITE));
		assertThat(waiting.get(0).thread()).isNull();
		assertThat(waiting.get(1).thread()).isNotEmpty();
		settle();
		List<LockContender> queue = inspector(this.locks).queue("lock");
		assertThat(queue).hasSizeGreaterThanOrEqualTo(2)
			.allMatch((contender) -> contender.origin() == LockContender.Origin.SELF)
			.extracting(LockContender::node)
			.doesNotHaveDuplicates();
		assertThat(queue).extracting(LockContender::holding).startsWith(true, false);
		assertThat(queue).extracting(LockContender::mode).startsWith(LockMode.READ, LockMode.WRITE);
		assertThat(queue.get(0).pid()).isEqualTo(ProcessHandle.current().pid());
		assertThat(queue.get(0).thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(queue.get(0).token()).isEqualTo(reader.fencingToken());
		assertThat(inspector(this.locks).queue("nobody")).isEmpty();
		reader.close();
		get(writer).close();
		get(thread);
		this.locks.lock("mine").unlock();
		assertFree();
	}

	@Test
	void brokenLockIsLostAndGoesToTheNext() throws Exception {
		assertThat(inspector(this.locks).breakLock("lock")).isFalse();
		this.lock.lock();
		this.lock.lock();
		LockLease lease = this.lock.lease().orElseThrow();
		List<String> actions = new CopyOnWriteArrayList<>();
		lease.onLost(() -> actions.add("one"));
		lease.onLost(() -> {
			throw new IllegalStateException("from an action");
		});
		lease.onLost(() -> actions.add("two"));
		CompletableFuture<Boolean> next = this.lock.acquireAsync(PATIENCE).thenApply((granted) -> {
			boolean overlap = lease.isHeld();
			granted.close();
			return overlap;
		});
		awaitWaiting(this.locks, 1);
		assertThat(actions).isEmpty();
		assertThat(inspector(this.locks).breakLock("lock")).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(get(next)).isFalse();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(actions).containsExactly("one", "two"));
		CompletableFuture<Boolean> late = new CompletableFuture<>();
		lease.onLost(() -> late.complete(true));
		get(late);
		assertLost(lease::fencingToken);
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.lease()).contains(lease);
		assertLost(this.lock::lock);
		assertLost(this.lock::tryLock);
		assertLost(this.read::lock);
		assertLost(this.lock::unlock);
		assertLost(this.lock::unlock);
		assertNotHeld(this.lock::unlock);
		this.events.await("acquired lock", "lost lock", "acquired lock", "released lock");
		assertFree();
	}

	@Test
	void closingALostLeaseIsQuietAndLetsItsThreadLockAgain() throws Exception {
		this.lock.lock();
		LockLease lease = this.lock.lease().orElseThrow();
		assertThat(inspector(this.locks).breakLock("lock")).isTrue();
		get(run(lease::close));
		assertThat(this.lock.lease()).as("its thread has not noticed yet").contains(lease);
		lease.close();
		assertThat(this.lock.lease()).isEmpty();
		this.lock.lock();
		this.lock.unlock();
		assertFree();
	}

	@Test
	void allReadersLoseABrokenLock() throws Exception {
		LockLease first = this.read.acquire();
		LockLease second = this.read.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		settle();
		assertThat(inspector(this.locks).breakLock("lock")).isTrue();
		assertThat(List.of(first, second)).noneMatch(LockLease::isHeld);
		assertThat(get(writer).isHeld()).as("whoever waited has not been meant").isTrue();
		first.close();
		second.close();
		assertThat(get(writer).isHeld()).isTrue();
		get(writer).close();
		assertFree();
	}

	@Test
	void lingeringLockCanBeBroken() throws Exception {
		LockLease lease = this.lock.acquire();
		lease.onLost(() -> this.events.failed("lease", Duration.ZERO,
				new LockLostException("lock", "", LossReason.NODE_DELETED, null)));
		lease.close(Duration.ofDays(1));
		assertThat(inspector(this.locks).breakLock("lock")).isTrue();
		this.lock.acquire().close();
		this.events.await("acquired lock", "released lock", "acquired lock", "released lock");
		assertFree();
	}

	// Closing

	@Test
	void closeRefusesAndTakesAway() throws Exception {
		this.lock.lock();
		LockLease lease = this.lock.lease().orElseThrow();
		CompletableFuture<Boolean> lost = new CompletableFuture<>();
		lease.onLost(() -> lost.complete(lease.isHeld()));
		LockLease lingering = this.locks.lock("lingering").acquire();
		lingering.close(Duration.ofDays(1));
		CompletableFuture<LockLease> future = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> thread = call(this.lock::acquire);
		awaitWaiting(this.locks, 2);
		close(this.locks);
		close(this.locks);
		for (CompletableFuture<LockLease> waiting : List.of(future, thread, this.lock.acquireAsync(PATIENCE))) {
			assertThat(waiting).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("'lock'")
				.withMessageContaining("closed");
		}
		assertThat(get(lost)).isFalse();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertLost(this.lock::lock);
		assertLost(this.lock::unlock);
		assertClosed(this.lock::lock);
		assertClosed(this.lock::tryLock);
		assertClosed(this.read::acquire);
		assertClosed(() -> this.lock.tryAcquire(Duration.ZERO));
		assertClosed(() -> inspector(this.locks).queue("lock"));
		assertClosed(() -> inspector(this.locks).breakLock("lock"));
		assertThat(inspector(this.locks).held()).isEmpty();
		assertThat(inspector(this.locks).waiting()).isEmpty();
		lease.close();
		lease.close(Duration.ofDays(1));
	}

	@Test
	void closeWaitsForHolders() throws Exception {
		LockRegistry patient = closing(createPatient(PATIENCE));
		CountDownLatch lost = new CountDownLatch(1);
		LockLease lease = patient.lock("lock").acquire();
		lease.onLost(lost::countDown);
		LockLease reading = patient.readLock("other").acquire();
		reading.onLost(lost::countDown);
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch unlock = new CountDownLatch(1);
		CompletableFuture<Boolean> owner = run(() -> {
			NamedLock owned = patient.lock("owned");
			owned.lock();
			locked.countDown();
			assertThat(awaitLatch(unlock)).isTrue();
			assertThat(owned.isHeldByCurrentThread()).isTrue();
			owned.unlock();
		});
		assertThat(awaitLatch(locked)).isTrue();
		patient.lock("lingering").acquire().close(Duration.ofDays(1));
		CompletableFuture<LockLease> waiting = patient.lock("lock").acquireAsync(PATIENCE);
		awaitWaiting(patient, 1);
		CompletableFuture<Boolean> closing = run(() -> close(patient));
		assertThat(waiting).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("closed");
		assertClosed(() -> patient.lock("lock").tryAcquire(Duration.ZERO));
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		assertThat(closing).isNotDone();
		assertThat(reading.isHeld()).isTrue();
		reading.close(Duration.ofDays(1));
		assertThat(closing).isNotDone();
		unlock.countDown();
		get(owner);
		get(closing);
		assertThat(lost.getCount()).as("nothing was lost").isOne();
	}

	@Test
	void closeDoesNotWaitForItsOwnThreadNorForEver() throws Exception {
		LockRegistry patient = closing(createPatient(Duration.ofDays(1)));
		patient.lock("lock").lock();
		close(patient);
		assertLost(patient.lock("lock")::unlock);
		LockRegistry impatient = closing(createPatient(Duration.ofMillis(50)));
		LockLease lease = impatient.lock("lock").acquire();
		get(run(() -> close(impatient)));
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	void onlyANewInterruptEndsTheWaitForHolders() throws Exception {
		LockRegistry patient = closing(createPatient(Duration.ofDays(1)));
		LockLease lease = patient.lock("lock").acquire();
		AtomicReference<Thread> closer = new AtomicReference<>();
		CompletableFuture<Boolean> closing = call(() -> {
			closer.set(Thread.currentThread());
			Thread.currentThread().interrupt();
			close(patient);
			return Thread.interrupted();
		});
		awaitParked(closer);
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> closing.get(A_MOMENT.toMillis(), TimeUnit.MILLISECONDS));
		assertThat(lease.isHeld()).isTrue();
		await().atMost(PATIENCE).until(() -> {
			closer.get().interrupt();
			return closing.isDone();
		});
		assertThat(get(closing)).as("still set").isTrue();
		assertThat(lease.isHeld()).isFalse();
	}

	private static void awaitParked(AtomicReference<Thread> thread) {
		await().atMost(PATIENCE).until(() -> {
			Thread present = thread.get();
			return present != null
					&& Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(present.getState());
		});
	}

	@Test
	void closeRacesUseWithoutADeadlockOrAForgottenRequest() throws Exception {
		for (int round = 0; round < 10; round++) {
			LockRegistry registry = registry(PATIENCE);
			registry.lock("warm").acquire().close();
			CountDownLatch used = new CountDownLatch(3);
			CompletableFuture<Boolean> user = run(() -> {
				try {
					for (int use = 0; true; use++) {
						registry.lock("lock-" + use % 3).lock();
						registry.lock("lock-" + use % 3).unlock();
						used.countDown();
					}
				}
				catch (LockUnavailableException | LockLostException ex) {
					assertThat(ex.name()).startsWith("lock-");
				}
			});
			assertThat(awaitLatch(used)).isTrue();
			Optional<LockLease> lease = registry.lock("lock-0").tryAcquire(PATIENCE);
			CompletableFuture<LockLease> future = registry.lock("lock-0").acquireAsync(PATIENCE);
			close(registry);
			get(user);
			assertThat(lease).isPresent().get().matches((held) -> !held.isHeld());
			assertThat(future).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class);
		}
	}

}
