package io.github.zklock.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.github.zklock.LocalLock;
import io.github.zklock.LockContender;
import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.LockLostException;
import io.github.zklock.LockMode;
import io.github.zklock.LockRegistry;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.LossReason;
import io.github.zklock.NamedLock;
import io.github.zklock.UnavailableReason;
import io.github.zklock.engine.LockEngine;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeaderWork;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.testing.Callers;
import io.github.zklock.testing.LockRecorder;
import io.github.zklock.testing.Patience;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.zklock.testing.Patience.awaitClosely;
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

	private static final Duration LONG_RACES = Duration.ofSeconds(30);

	private final LockRecorder events = new LockRecorder();

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
		awaitClosely().untilAsserted(() -> assertThat(inspector(this.locks).queue("lock")).isEmpty());
		acquireAtOnce(this.write).close();
	}

	/**
	 * Acquire a lock that is free, without waiting for anybody.
	 */
	private static LockLease acquireAtOnce(NamedLock free) throws InterruptedException {
		return free.tryAcquire(Duration.ZERO).orElseThrow();
	}

	/**
	 * Lock what is free or not, without waiting for anybody.
	 */
	private static boolean lockAtOnce(NamedLock any) {
		return any.tryLock();
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

	private static boolean awaitLatch(CountDownLatch latch) {
		try {
			return Patience.await(latch);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Nested
	class OwnedByAThread {

		@Test
		void excludesOtherThreads() throws Exception {
			lock.lock();
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			assertTaken(lock);
			assertThat(get(call(() -> lock.tryLock(20, TimeUnit.MILLISECONDS)))).isFalse();
			assertThat(get(call(lock::isHeldByCurrentThread))).isFalse();
			assertThat(get(call(lock::lease))).isEmpty();
			CompletableFuture<Boolean> other = call(() -> {
				lock.lock();
				boolean held = lock.isHeldByCurrentThread();
				lock.unlock();
				return held;
			});
			awaitWaiting(locks, 1);
			lock.unlock();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(get(other)).isTrue();
			assertFree();
		}

		@Test
		@Tag("H85")
		void everyWayOfLockingEntersAgain() throws Exception {
			locks.lock("lock").lock();
			locks.lock("lock").lock();
			locks.writeLock("lock").lockInterruptibly();
			assertThat(lock.tryLock()).isTrue();
			assertThat(write.tryLock(1, TimeUnit.SECONDS)).isTrue();
			for (int inner = 0; inner < 4; inner++) {
				lock.unlock();
				assertThat(write.isHeldByCurrentThread()).isTrue();
				assertTaken(lock);
			}
			lock.unlock();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertFree();
		}

		@Test
		void differentNamesAreDifferentLocks() throws Exception {
			lock.lock();
			assertThat(lockAtOnce(locks.lock("other"))).isTrue();
			assertThat(get(call(() -> locks.lock("other").tryLock()))).isFalse();
			locks.lock("other").unlock();
			lock.unlock();
			assertFree();
		}

		@Test
		void registriesOfDifferentRootsShareNothing() {
			LockRegistry other = registry(PATIENCE);
			lock.lock();
			assertThat(other.lock("lock").isHeldByCurrentThread()).isFalse();
			assertThat(lockAtOnce(other.lock("lock"))).isTrue();
			other.lock("lock").unlock();
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.unlock();
		}

		@Test
		@Tag("H80")
		void strangerCannotUnlock() throws Exception {
			assertNotHeld(lock::unlock);
			lock.lock();
			assertThat(run(lock::unlock)).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(IllegalMonitorStateException.class);
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.unlock();
			assertNotHeld(lock::unlock);
			assertFree();
		}

		@Test
		void leaseOfAThreadEndsItsWholeHold() throws Exception {
			assertThat(lock.lease()).isEmpty();
			lock.lock();
			lock.lock();
			LockLease lease = lock.lease().orElseThrow();
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.name()).isEqualTo("lock");
			get(run(lease::close));
			assertThat(lease.isHeld()).isFalse();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(lock.lease()).isEmpty();
			assertFree();
			assertNotHeld(lock::unlock);
			lock.lock();
			lease.close();
			assertThat(lock.isHeldByCurrentThread()).as("closing an old lease does not touch the present one").isTrue();
			lock.unlock();
		}

		@Test
		void conditionsAreNotSupported() {
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
		}

	}

	@Nested
	class OwnedByWhoeverHasTheLease {

		@Test
		void anyThreadClosesALease() throws Exception {
			LockLease lease = lock.acquire();
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.name()).isEqualTo("lock");
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(lock.lease()).isEmpty();
			assertNotHeld(lock::unlock);
			assertThat(lock.tryLock()).as("not re-entrant").isFalse();
			assertTaken(lock);
			get(run(lease::close));
			assertThat(lease.isHeld()).isFalse();
			lease.close();
			try (LockLease next = acquireAtOnce(lock)) {
				lease.close();
				lease.close(Duration.ofDays(1));
				assertThat(next.isHeld()).as("closing an old lease does not touch the present one").isTrue();
				assertTaken(lock);
			}
			assertFree();
		}

		@Test
		void threadsOwnLeaseWaitsForIt() throws Exception {
			lock.lock();
			assertThat(lock.tryAcquire(Duration.ZERO)).isEmpty();
			assertThat(lock.tryAcquire(A_MOMENT)).isEmpty();
			CompletableFuture<LockLease> lease = lock.acquireAsync(PATIENCE);
			settle();
			assertThat(lease).isNotDone();
			lock.unlock();
			get(lease).close();
			assertFree();
		}

		@Test
		void waitIsAsLongAsItWasToBe() throws Exception {
			try (LockLease lease = lock.acquire()) {
				long start = System.nanoTime();
				assertThat(lock.tryAcquire(Duration.ofMillis(100))).isEmpty();
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100), PATIENCE);
				start = System.nanoTime();
				assertTimeout(lock.acquireAsync(Duration.ofMillis(100)));
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(100), PATIENCE);
				assertThat(inspector(locks).waiting()).isEmpty();
				assertThat(lease.isHeld()).isTrue();
			}
			assertFree();
		}

		@Test
		void grantsInTheOrderOfArrival() throws Exception {
			LockLease first = lock.acquire();
			List<Integer> order = Collections.synchronizedList(new ArrayList<>());
			List<CompletableFuture<?>> waiters = new ArrayList<>();
			for (int waiter = 0; waiter < 8; waiter++) {
				int own = waiter;
				if (waiter % 2 == 0) {
					waiters.add(run(() -> {
						lock.lock();
						order.add(own);
						lock.unlock();
					}));
				}
				else {
					waiters.add(write.acquireAsync(PATIENCE).thenAccept((lease) -> {
						order.add(own);
						lease.close();
					}));
				}
				awaitWaiting(locks, waiter + 1);
			}
			first.close();
			for (CompletableFuture<?> waiter : waiters) {
				get(waiter);
			}
			assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
			assertFree();
		}

		@Test
		void onlyOneHoldsTheLockAtATime() throws Exception {
			AtomicInteger writers = new AtomicInteger();
			AtomicInteger readers = new AtomicInteger();
			List<CompletableFuture<Boolean>> users = new ArrayList<>();
			for (int user = 0; user < 6; user++) {
				boolean reading = user >= 4;
				users.add(run(() -> {
					for (int round = 0; round < 100; round++) {
						try (LockLease lease = (reading ? read : write).acquire()) {
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

	}

	@Nested
	class Lingering {

		@Test
		void closeWithMinimumLingersForNobody() throws Exception {
			LockLease lease = lock.acquire();
			lease.close(Duration.ofSeconds(Long.MAX_VALUE));
			assertThat(lease.isHeld()).isFalse();
			assertThatIllegalStateException().isThrownBy(lease::fencingToken);
			lease.close();
			assertThat(inspector(locks).held()).isEmpty();
			assertTaken(lock);
			assertTaken(read);
		}

		@Test
		void lingeringEndsByItself() throws Exception {
			long start = System.nanoTime();
			LockLease lease = lock.acquire();
			lease.close(Duration.ofMillis(150));
			lock.acquire().close();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(150), PATIENCE);
			assertFree();
		}

		@Test
		void threadsHoldLingersToo() throws Exception {
			lock.lock();
			lock.lock();
			lock.lease().orElseThrow().close(Duration.ofDays(1));
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(lock.lease()).isEmpty();
			assertThat(lock.tryLock()).as("belongs to nobody, the same thread is refused too").isFalse();
			assertNotHeld(lock::unlock);
			assertThat(inspector(locks).breakLock("lock")).isTrue();
			lock.lock();
			lock.lease().orElseThrow().close(Duration.ofMillis(150));
			lock.lock();
			lock.unlock();
			assertFree();
		}

		@Test
		void readersLeaseLingers() throws Exception {
			LockLease lease = read.acquire();
			lease.close(Duration.ofDays(1));
			assertTaken(write);
			acquireAtOnce(read).close();
			assertTaken(write);
		}

		@Test
		void minimumThatHasPassedIsAnOrdinaryClose() throws Exception {
			LockLease lease = lock.acquire();
			lease.close(Duration.ofNanos(1));
			assertFree();
		}

	}

	@Nested
	class Tokens {

		@Test
		void tokenGrowsFromHolderToHolder() throws Exception {
			List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
			for (int round = 0; round < 5; round++) {
				LockLease first = lock.acquire();
				List<CompletableFuture<Void>> next = new ArrayList<>();
				for (NamedLock waiting : List.of(lock, write, lock)) {
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
			LockLease writer = write.acquire();
			long before = writer.fencingToken();
			writer.close();
			LockLease reader = read.acquire();
			long between = reader.fencingToken();
			reader.close();
			LockLease later = write.acquire();
			assertThat(List.of(before, between, later.fencingToken())).isSorted().doesNotHaveDuplicates();
			later.close();
		}

		@Test
		void tokenIsThatOfTheOutermostHold() {
			write.lock();
			LockLease lease = write.lease().orElseThrow();
			long token = lease.fencingToken();
			read.lock();
			assertThat(read.lease().orElseThrow().fencingToken()).isEqualTo(token);
			write.unlock();
			assertThat(lease.fencingToken()).isEqualTo(token);
			read.unlock();
			assertThatIllegalStateException().isThrownBy(lease::fencingToken).withMessageContaining("'lock'");
		}

	}

	@Nested
	class Interrupts {

		@Test
		@Tag("H81")
		void interruptEndsAWaitAndLeavesTheQueue() throws Exception {
			LockLease lease = lock.acquire();
			for (Callers.Task waiting : List.<Callers.Task>of(lock::acquire, lock::lockInterruptibly, read::acquire,
					() -> lock.tryAcquire(PATIENCE), () -> lock.tryLock(1, TimeUnit.DAYS))) {
				AtomicReference<Thread> waiter = new AtomicReference<>();
				CompletableFuture<Boolean> interrupted = run(() -> {
					waiter.set(Thread.currentThread());
					waiting.run();
				});
				awaitWaiting(locks, 1);
				waiter.get().interrupt();
				assertThat(interrupted).failsWithin(PATIENCE)
					.withThrowableThat()
					.withCauseInstanceOf(InterruptedException.class);
				assertThat(inspector(locks).waiting()).isEmpty();
			}
			lease.close();
			assertFree();
		}

		@Test
		@Tag("H81")
		void interruptBeforehandIsNoticed() throws Exception {
			for (ThrowingCallable asking : List.<ThrowingCallable>of(lock::lockInterruptibly, lock::acquire,
					() -> lock.tryLock(1, TimeUnit.SECONDS), () -> lock.tryAcquire(Duration.ZERO))) {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(asking);
				assertThat(Thread.interrupted()).isFalse();
			}
			assertFree();
		}

		@Test
		@Tag("H81")
		void lockAndUnlockKeepAnInterruptForLater() throws Exception {
			LockLease lease = lock.acquire();
			AtomicReference<Thread> waiter = new AtomicReference<>();
			CompletableFuture<Boolean> waiting = call(() -> {
				waiter.set(Thread.currentThread());
				lock.lock();
				lock.unlock();
				return Thread.interrupted();
			});
			awaitWaiting(locks, 1);
			waiter.get().interrupt();
			settle();
			assertThat(inspector(locks).waiting()).hasSize(1);
			lease.close();
			assertThat(get(waiting)).isTrue();
			Thread.currentThread().interrupt();
			assertThat(lockAtOnce(lock)).isTrue();
			lock.unlock();
			assertThat(Thread.interrupted()).isTrue();
			assertFree();
		}

	}

	@Nested
	class Futures {

		@Test
		void futureGivesALeaseOnAThreadOfTheLibrary() throws Exception {
			LockLease before = lock.acquire();
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			CompletableFuture<LockLease> future = lock.acquireAsync(PATIENCE).thenApply((granted) -> {
				thread.complete(Thread.currentThread());
				return granted;
			});
			before.close();
			try (LockLease lease = get(future)) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(lock.isHeldByCurrentThread()).isFalse();
				assertThat(get(thread).isDaemon()).isTrue();
				assertThat(get(thread).getName()).startsWith("zk-lock-");
			}
			get(lock.acquireAsync(Duration.ZERO)).close();
			assertFree();
		}

		@Test
		void futuresActionMayUseLocksAndTakeItsTime() throws Exception {
			LockLease before = lock.acquire();
			CountDownLatch slow = new CountDownLatch(1);
			CompletableFuture<Boolean> first = lock.acquireAsync(PATIENCE).thenApply((lease) -> {
				lease.close();
				lock.lock();
				lock.unlock();
				return awaitLatch(slow);
			});
			CompletableFuture<LockLease> second = lock.acquireAsync(PATIENCE);
			before.close();
			get(second).close();
			slow.countDown();
			assertThat(get(first)).isTrue();
		}

		@Test
		void whoeverCompletesAFutureLeavesTheQueue() throws Exception {
			LockLease lease = lock.acquire();
			CompletableFuture<LockLease> cancelled = lock.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> timedOut = lock.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> failed = read.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> completed = lock.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> behind = lock.acquireAsync(PATIENCE);
			assertThat(inspector(locks).waiting()).hasSize(5);
			assertThat(cancelled.cancel(true)).isTrue();
			assertThat(timedOut.orTimeout(1, TimeUnit.MILLISECONDS)).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(TimeoutException.class);
			assertThat(failed.completeExceptionally(new IllegalStateException())).isTrue();
			assertThat(completed.complete(lease)).isTrue();
			awaitWaiting(locks, 1);
			lease.close();
			get(behind).close();
			assertFree();
		}

		@Test
		void writerThatLeavesLetsTheReadersBehindIn() throws Exception {
			LockLease reading = read.acquire();
			CompletableFuture<LockLease> writer = write.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> timedOut = write.acquireAsync(Duration.ofMillis(100));
			CompletableFuture<LockLease> reader = read.acquireAsync(PATIENCE);
			writer.cancel(false);
			get(reader).close();
			assertTimeout(timedOut);
			reading.close();
			assertFree();
		}

		@Test
		void waitThatIsOverBeforeItBeginsLeavesNothing() throws Exception {
			LockLease lease = lock.acquire();
			List<CompletableFuture<LockLease>> futures = new ArrayList<>();
			for (int attempt = 0; attempt < 200; attempt++) {
				futures.add(((attempt % 2 == 0) ? lock : read).acquireAsync(Duration.ofNanos(1)));
			}
			futures.forEach(LockRegistryContract::assertTimeout);
			lease.close();
			assertFree();
		}

		@Test
		void cancelRacesGrant() throws Exception {
			int granted = 0;
			int cancelled = 0;
			LockLease lease = lock.acquire();
			long start = System.nanoTime();
			for (int race = 0; race < 200_000; race++) {
				boolean enough = race >= 2_000 || System.nanoTime() - start > LONG_RACES.toNanos();
				if (enough && granted > 0 && cancelled > 0) {
					break;
				}
				CompletableFuture<LockLease> next = lock.acquireAsync(PATIENCE);
				CompletableFuture<LockLease> behind = lock.acquireAsync(PATIENCE);
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

	}

	@Nested
	class ReadersAndWriters {

		@Test
		void readersShareTheLock() throws Exception {
			read.lock();
			get(run(() -> {
				assertThat(lockAtOnce(read)).isTrue();
				assertThat(read.isHeldByCurrentThread()).isTrue();
				read.unlock();
			}));
			LockLease lease = read.acquire();
			LockLease another = acquireAtOnce(read);
			assertThat(read.isHeldByCurrentThread()).isTrue();
			read.unlock();
			assertThat(List.of(lease, another)).allMatch(LockLease::isHeld);
			lease.close();
			assertTaken(write);
			another.close();
			assertFree();
		}

		@Test
		void readersAndWritersWaitForEachOther() throws Exception {
			for (NamedLock exclusive : List.of(lock, write)) {
				assertWaitsFor(exclusive, read);
				assertWaitsFor(read, exclusive);
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
			LockLease first = read.acquire();
			CompletableFuture<LockLease> writer = write.acquireAsync(PATIENCE);
			assertTaken(read);
			CompletableFuture<LockLease> second = read.acquireAsync(PATIENCE);
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
			LockLease writing = write.acquire();
			CompletableFuture<LockLease> first = read.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> second = read.acquireAsync(PATIENCE);
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
			read.lock();
			CompletableFuture<LockLease> writer = write.acquireAsync(PATIENCE);
			settle();
			read.lock();
			assertThat(read.tryLock()).isTrue();
			assertThat(read.tryLock(1, TimeUnit.SECONDS)).isTrue();
			read.lockInterruptibly();
			for (int inner = 0; inner < 4; inner++) {
				read.unlock();
				assertThat(read.isHeldByCurrentThread()).isTrue();
			}
			settle();
			assertThat(writer).isNotDone();
			read.unlock();
			get(writer).close();
			assertFree();
		}

		@Test
		void lockStaysExclusiveWhenTheWriterGoesOnReading() throws Exception {
			write.lock();
			read.lock();
			assertThat(read.tryLock()).isTrue();
			read.unlock();
			CompletableFuture<LockLease> reader = read.acquireAsync(PATIENCE);
			write.unlock();
			settle();
			assertThat(reader).isNotDone();
			assertTaken(read);
			assertThat(read.isHeldByCurrentThread()).isTrue();
			read.unlock();
			get(reader).close();
			assertFree();
		}

		@Test
		void readerMayNotWrite() throws Exception {
			read.lock();
			assertWritingIsRefusedAtOnce();
			read.unlock();
			assertNotHeld(read::unlock);
			assertFree();
			write.lock();
			read.lock();
			write.unlock();
			assertWritingIsRefusedAtOnce();
			read.unlock();
			assertFree();
		}

		private void assertWritingIsRefusedAtOnce() throws Exception {
			for (NamedLock exclusive : List.of(write, lock)) {
				assertNotHeld(exclusive::lock);
				assertNotHeld(exclusive::lockInterruptibly);
				assertNotHeld(exclusive::tryLock);
				assertNotHeld(() -> exclusive.tryLock(1, TimeUnit.DAYS));
				assertNotHeld(exclusive::unlock);
				assertThat(exclusive.isHeldByCurrentThread()).isFalse();
				assertThat(exclusive.lease()).isEmpty();
				assertThat(exclusive.tryAcquire(A_MOMENT)).as("a lease waits").isEmpty();
			}
			assertThat(read.isHeldByCurrentThread()).isTrue();
			assertThat(inspector(locks).waiting()).isEmpty();
		}

		@Test
		void whatAThreadHoldsIsToldByMode() throws Exception {
			read.lock();
			assertThat(read.lease()).isPresent();
			assertThat(write.isHeldByCurrentThread()).isFalse();
			assertThat(write.lease()).isEmpty();
			read.unlock();
			write.lock();
			assertThat(read.isHeldByCurrentThread()).isFalse();
			assertThat(read.lease()).isEmpty();
			assertNotHeld(read::unlock);
			assertThat(lock.lease()).isPresent().isEqualTo(write.lease());
			read.lock();
			assertThat(read.lease()).isEqualTo(write.lease());
			write.unlock();
			assertThat(write.lease()).isEmpty();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(read.isHeldByCurrentThread()).isTrue();
			read.lock();
			read.lease().orElseThrow().close();
			assertNotHeld(read::unlock);
			assertFree();
		}

	}

	@Nested
	class NamesAndTimes {

		@Test
		@SuppressWarnings("NullAway")
		void badNamesAndTimesAreNamed() throws Exception {
			assertThatNullPointerException().isThrownBy(() -> locks.lock(null)).withMessageContaining("name");
			assertThatIllegalArgumentException().isThrownBy(() -> locks.lock("")).withMessageContaining("empty");
			assertThatIllegalArgumentException().isThrownBy(() -> locks.readLock("")).withMessageContaining("empty");
			assertThatIllegalArgumentException().isThrownBy(() -> locks.writeLock("\ud800"))
				.withMessageContaining("Unicode");
			assertThatIllegalArgumentException().isThrownBy(() -> lock.tryAcquire(Duration.ofNanos(-1)))
				.withMessageContaining("'lock'");
			assertThatIllegalArgumentException().isThrownBy(() -> lock.acquireAsync(Duration.ofSeconds(Long.MIN_VALUE)))
				.withMessageContaining("'lock'");
			try (LockLease lease = lock.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow()) {
				assertThatIllegalArgumentException().isThrownBy(() -> lease.close(Duration.ofNanos(-1)))
					.withMessageContaining("'lock'");
				assertThat(lease.isHeld()).isTrue();
			}
			get(lock.acquireAsync(Duration.ofSeconds(Long.MAX_VALUE))).close();
			assertThat(lock.tryLock(-5, TimeUnit.DAYS)).isTrue();
			assertThat(get(call(() -> lock.tryLock(-5, TimeUnit.DAYS)))).isFalse();
			lock.unlock();
			assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
			lock.unlock();
			assertFree();
		}

		@Test
		void anyNameIsALock() throws Exception {
			for (String name : List.of("/", "..", ".", "a/../../b", "\u0000", "\uD83D\uDD12", " ", "%", "%2F",
					"x".repeat(4096), "\u00e9\u20ac", "zookeeper", "\n", "locks")) {
				try (LockLease lease = locks.lock(name).acquire()) {
					assertThat(lease.name()).isEqualTo(name);
					assertThat(locks.lock(name).tryLock()).isFalse();
				}
			}
		}

		@Test
		void locksSayWhatTheyAre() {
			assertThat(lock).hasToString("Lock 'lock'");
			assertThat(write).hasToString("Lock 'lock'");
			assertThat(read).hasToString("Read lock 'lock'");
		}

	}

	@Nested
	class Listeners {

		@Test
		void listenerHearsOfEverythingInOrder() throws Exception {
			lock.lock();
			lock.lock();
			read.lock();
			events.await("acquired lock");
			assertThat(lock.lease().orElseThrow().isHeld()).isTrue();
			read.unlock();
			lock.unlock();
			lock.unlock();
			events.await("acquired lock", "released lock");
			LockLease lease = lock.acquire();
			assertThat(lock.tryLock()).isFalse();
			assertThat(lock.tryAcquire(A_MOMENT)).isEmpty();
			assertTimeout(lock.acquireAsync(A_MOMENT));
			lock.acquireAsync(PATIENCE).cancel(false);
			events.await("acquired lock", "released lock", "acquired lock", "timedOut lock", "timedOut lock",
					"timedOut lock");
			events.clear();
			lease.close(Duration.ofMillis(1));
			lease.close();
			LockLease lost = lock.acquire();
			close(locks);
			lost.close();
			assertClosed(lock::lock);
			events.await("released lock", "acquired lock", "lost lock", "failed lock");
		}

		@Test
		@Tag("H89")
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

			}, events);
			for (int round = 0; round < 3; round++) {
				get(registry.lock("lock").acquireAsync(PATIENCE)).close();
			}
			events.await("acquired lock", "released lock", "acquired lock", "released lock", "acquired lock",
					"released lock");
			slow.countDown();
		}

	}

	@Nested
	class Inspection {

		@Test
		void ownLocksAreSeenInTheOrderInWhichTheyWereGranted() throws Exception {
			List<String> names = IntStream.range(0, 300).mapToObj((number) -> "lock-" + (number * 7919 % 300)).toList();
			for (String name : names) {
				locks.lock(name).acquire();
			}
			for (int look = 0; look < 30; look++) {
				assertThat(inspector(locks).held()).extracting(LocalLock::name).containsExactlyElementsOf(names);
			}
		}

		@Test
		void ownLocksAreSeen() throws Exception {
			Instant before = Instant.now().minusMillis(1);
			locks.lock("mine").lock();
			LockLease reader = read.acquire();
			CompletableFuture<LockLease> writer = write.acquireAsync(PATIENCE);
			awaitWaiting(locks, 1);
			CompletableFuture<Boolean> thread = run(() -> {
				lock.lock();
				lock.unlock();
			});
			awaitWaiting(locks, 2);
			assertThat(inspector(locks).held()).extracting(LocalLock::name, LocalLock::mode, LocalLock::thread)
				.containsExactly(tuple("mine", LockMode.WRITE, Thread.currentThread().getName()),
						tuple("lock", LockMode.READ, null));
			assertThat(inspector(locks).held().get(0).since()).isBetween(before, Instant.now());
			List<LocalLock> waiting = inspector(locks).waiting();
			assertThat(waiting).extracting(LocalLock::name, LocalLock::mode)
				.containsExactly(tuple("lock", LockMode.WRITE), tuple("lock", LockMode.WRITE));
			assertThat(waiting.get(0).thread()).isNull();
			assertThat(waiting.get(1).thread()).isNotEmpty();
			settle();
			List<LockContender> queue = inspector(locks).queue("lock");
			assertThat(queue).hasSizeGreaterThanOrEqualTo(2)
				.allMatch((contender) -> contender.origin() == LockContender.Origin.SELF)
				.extracting(LockContender::node)
				.doesNotHaveDuplicates();
			assertThat(queue).extracting(LockContender::holding).startsWith(true, false);
			assertThat(queue).extracting(LockContender::mode).startsWith(LockMode.READ, LockMode.WRITE);
			assertThat(queue.get(0).pid()).isEqualTo(ProcessHandle.current().pid());
			assertThat(queue.get(0).thread()).isEqualTo(Thread.currentThread().getName());
			assertThat(queue.get(0).token()).isEqualTo(reader.fencingToken());
			assertThat(inspector(locks).queue("nobody")).isEmpty();
			reader.close();
			get(writer).close();
			get(thread);
			locks.lock("mine").unlock();
			assertFree();
		}

		@Test
		void brokenLockIsLostAndGoesToTheNext() throws Exception {
			assertThat(inspector(locks).breakLock("lock")).isFalse();
			lock.lock();
			lock.lock();
			LockLease lease = lock.lease().orElseThrow();
			List<String> actions = new CopyOnWriteArrayList<>();
			lease.onLost(() -> actions.add("one"));
			lease.onLost(() -> {
				throw new IllegalStateException("from an action");
			});
			lease.onLost(() -> actions.add("two"));
			CompletableFuture<Boolean> next = lock.acquireAsync(PATIENCE).thenApply((granted) -> {
				boolean overlap = lease.isHeld();
				granted.close();
				return overlap;
			});
			awaitWaiting(locks, 1);
			assertThat(actions).isEmpty();
			assertThat(inspector(locks).breakLock("lock")).isTrue();
			assertThat(lease.isHeld()).isFalse();
			assertThat(get(next)).isFalse();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(actions).containsExactly("one", "two"));
			CompletableFuture<Boolean> late = new CompletableFuture<>();
			lease.onLost(() -> late.complete(true));
			get(late);
			assertLost(lease::fencingToken);
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertThat(lock.lease()).contains(lease);
			assertLost(lock::lock);
			assertLost(lock::tryLock);
			assertLost(read::lock);
			assertLost(lock::unlock);
			assertLost(lock::unlock);
			assertNotHeld(lock::unlock);
			events.await("acquired lock", "lost lock", "acquired lock", "released lock");
			assertFree();
		}

		@Test
		@Tag("H80")
		void closingALostLeaseIsQuietAndLetsItsThreadLockAgain() throws Exception {
			lock.lock();
			LockLease lease = lock.lease().orElseThrow();
			assertThat(inspector(locks).breakLock("lock")).isTrue();
			get(run(lease::close));
			assertThat(lock.lease()).as("its thread has not noticed yet").contains(lease);
			lease.close();
			assertThat(lock.lease()).isEmpty();
			lock.lock();
			lock.unlock();
			assertFree();
		}

		@Test
		void allReadersLoseABrokenLock() throws Exception {
			LockLease first = read.acquire();
			LockLease second = read.acquire();
			CompletableFuture<LockLease> writer = write.acquireAsync(PATIENCE);
			settle();
			assertThat(inspector(locks).breakLock("lock")).isTrue();
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
			LockLease lease = lock.acquire();
			lease.onLost(() -> events.failed("lease", Duration.ZERO,
					new LockLostException("lock", "", LossReason.NODE_DELETED, null)));
			lease.close(Duration.ofDays(1));
			assertThat(inspector(locks).breakLock("lock")).isTrue();
			lock.acquire().close();
			events.await("acquired lock", "released lock", "acquired lock", "released lock");
			assertFree();
		}

	}

	@Nested
	class Closing {

		@Test
		void closeRefusesAndTakesAway() throws Exception {
			lock.lock();
			LockLease lease = lock.lease().orElseThrow();
			CompletableFuture<Boolean> lost = new CompletableFuture<>();
			lease.onLost(() -> lost.complete(lease.isHeld()));
			LockLease lingering = locks.lock("lingering").acquire();
			lingering.close(Duration.ofDays(1));
			CompletableFuture<LockLease> future = lock.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> thread = call(lock::acquire);
			awaitWaiting(locks, 2);
			close(locks);
			close(locks);
			for (CompletableFuture<LockLease> waiting : List.of(future, thread, lock.acquireAsync(PATIENCE))) {
				assertThat(waiting).failsWithin(PATIENCE)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class)
					.withMessageContaining("'lock'")
					.withMessageContaining("closed");
			}
			assertThat(get(lost)).isFalse();
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			assertLost(lock::lock);
			assertLost(lock::unlock);
			assertClosed(lock::lock);
			assertClosed(lock::tryLock);
			assertClosed(read::acquire);
			assertClosed(() -> lock.tryAcquire(Duration.ZERO));
			assertClosed(() -> inspector(locks).queue("lock"));
			assertClosed(() -> inspector(locks).breakLock("lock"));
			assertThat(inspector(locks).held()).isEmpty();
			assertThat(inspector(locks).waiting()).isEmpty();
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
		@Tag("H86")
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

	@Nested
	class Stopping {

		private LockEngine engine() {
			return (LockEngine) locks;
		}

		private void restart() {
			engine().stop();
			engine().resume();
		}

		private void assertStopped(ThrowingCallable call) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call)
				.withMessageContaining("'lock'")
				.withMessageContaining("stopped")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(UnavailableReason.CLOSED));
		}

		@Test
		void keptLockGoesOnWorking() throws Exception {
			for (int round = 0; round < 3; round++) {
				lock.lock();
				assertThat(lock.isHeldByCurrentThread()).isTrue();
				lock.unlock();
				try (LockLease lease = read.acquire()) {
					assertThat(lease.isHeld()).isTrue();
				}
				assertFree();
				restart();
			}
			engine().stop();
			engine().start();
			assertFree();
		}

		@Test
		void whatWasHeldIsLostAfterAnyNumberOfRestarts() throws Exception {
			lock.lock();
			LockLease lease = locks.readLock("other").acquire();
			for (int round = 0; round < 5; round++) {
				restart();
				assertThat(lease.isHeld()).isFalse();
				assertThat(lease.isLost()).isTrue();
				assertThat(lock.isHeldByCurrentThread()).isFalse();
				assertThat(lock.lease()).hasValueSatisfying((own) -> assertThat(own.isLost()).isTrue());
				assertLost(lock::lock);
				assertLost(lock::tryLock);
			}
			assertLost(lock::unlock);
			assertNotHeld(lock::unlock);
			assertFree();
		}

		@Test
		void whoDoesNotWaitIsServedAfterARestart() throws Exception {
			for (int round = 0; round < 3; round++) {
				assertThat(lock.tryLock()).isTrue();
				lock.unlock();
				restart();
				assertThat(lock.tryAcquire(Duration.ZERO)).hasValueSatisfying(LockLease::close);
				engine().stop();
				engine().start();
			}
		}

		@Test
		void lossIsToldWhileStoppedToo() {
			read.lock();
			engine().stop();
			assertNotHeld(write::unlock);
			assertLost(read::unlock);
			assertNotHeld(read::unlock);
		}

		@Test
		void nothingIsHadWhileStopped() {
			engine().stop();
			engine().stop();
			assertStopped(lock::lock);
			assertStopped(lock::tryLock);
			assertStopped(lock::lockInterruptibly);
			assertStopped(() -> lock.tryLock(1, TimeUnit.HOURS));
			assertStopped(lock::acquire);
			assertStopped(() -> lock.tryAcquire(Duration.ofHours(1)));
			assertThat(lock.acquireAsync(Duration.ofHours(1))).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class);
			assertThat(lock.lease()).isEmpty();
			LeaderElection election = locks.election("lock");
			assertStopped(election::join);
			assertStopped(election::leader);
			election.leave();
			assertThat(election.leadership().isLeader()).isFalse();
			assertThat(election.leadership().begin()).isEmpty();
			assertStopped(() -> inspector(locks).queue("lock"));
			assertStopped(() -> inspector(locks).breakLock("lock"));
			assertThat(inspector(locks).held()).isEmpty();
			assertThat(inspector(locks).waiting()).isEmpty();
			assertThatIllegalArgumentException().isThrownBy(() -> locks.lock(""));
		}

		@Test
		void waitingRequestEndsWithTheRun() throws Exception {
			LockLease lease = lock.acquire();
			CompletableFuture<LockLease> waiting = lock.acquireAsync(Duration.ofHours(1));
			CompletableFuture<Boolean> blocked = run(lock::lock);
			awaitWaiting(locks, 2);
			restart();
			for (CompletableFuture<?> refused : List.of(waiting, blocked)) {
				assertThat(refused).failsWithin(PATIENCE)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class);
			}
			assertThat(lease.isLost()).isTrue();
			assertFree();
		}

		@Test
		void stopWaitsForHolders() throws Exception {
			LockRegistry patient = closing(createPatient(PATIENCE));
			LockLease lease = patient.lock("lock").acquire();
			CompletableFuture<Boolean> stopping = run(((LockEngine) patient)::stop);
			await().atMost(PATIENCE).until(() -> isRefused(patient.lock("lock")));
			assertThat(lease.isHeld()).isTrue();
			assertThat(stopping).isNotDone();
			assertThatIllegalStateException().isThrownBy(((LockEngine) patient)::resume)
				.withMessageContaining("being stopped");
			lease.close();
			get(stopping);
			assertThat(lease.isLost()).isFalse();
			((LockEngine) patient).resume();
			patient.lock("lock").acquire().close();
		}

		private boolean isRefused(NamedLock asked) throws InterruptedException {
			try {
				asked.tryAcquire(Duration.ZERO).ifPresent(LockLease::close);
				return false;
			}
			catch (LockUnavailableException ex) {
				return true;
			}
		}

		@Test
		void whoStopsClosesIfThatIsSaidMeanwhile() throws Exception {
			LockRegistry patient = closing(createPatient(PATIENCE));
			LockLease lease = patient.lock("lock").acquire();
			CompletableFuture<Boolean> stopping = run(((LockEngine) patient)::stop);
			await().atMost(PATIENCE).until(() -> isRefused(patient.lock("lock")));
			LockRegistryContract.close(patient);
			assertThat(lease.isHeld()).as("there is still time").isTrue();
			lease.close();
			get(stopping);
			assertThatIllegalStateException().isThrownBy(((LockEngine) patient)::resume)
				.withMessageContaining("closed");
			assertClosed(patient.lock("lock")::acquire);
		}

		@Test
		void closedAfterItWasStopped() throws Exception {
			engine().stop();
			LockRegistryContract.close(locks);
			assertClosed(lock::acquire);
			assertThatIllegalStateException().isThrownBy(engine()::resume).withMessageContaining("closed");
		}

		@Test
		void electionKeepsItsListenersButNotItsPlace() throws Exception {
			LeaderElection election = locks.election("role");
			BlockingQueue<String> heard = new LinkedBlockingQueue<>();
			election.addListener(new LeadershipListener() {

				@Override
				public void granted(String role, long fencingToken) {
					heard.add("granted");
				}

				@Override
				public void revoked(String role, long fencingToken) {
					heard.add("revoked");
				}

			});
			long token = 0;
			for (int round = 0; round < 3; round++) {
				assertThat(election.participants()).isEmpty();
				election.join();
				assertThat(Patience.poll(heard)).isEqualTo("granted");
				assertThat(election.leadership().fencingToken()).isGreaterThan(token);
				token = election.leadership().fencingToken();
				LeaderWork work = election.leadership().begin().orElseThrow();
				engine().stop();
				assertThat(Patience.poll(heard)).isEqualTo("revoked");
				assertThat(work.isLeader()).isFalse();
				engine().resume();
				assertThat(election.leadership().isLeader()).isFalse();
				assertThat(locks.election("role")).isSameAs(election);
			}
			assertThat(heard).isEmpty();
		}

		@Test
		void restartsRaceUse() throws Exception {
			AtomicBoolean over = new AtomicBoolean();
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger granted = new AtomicInteger();
			List<CompletableFuture<Boolean>> users = new ArrayList<>();
			for (int user = 0; user < 3; user++) {
				boolean future = user == 0;
				users.add(run(() -> {
					while (!over.get()) {
						try {
							LockLease lease = future ? get(lock.acquireAsync(PATIENCE)) : lock.acquire();
							if (inside.incrementAndGet() > 1) {
								assertThat(lease.isHeld()).as("the only one").isFalse();
							}
							inside.decrementAndGet();
							lease.close();
							granted.incrementAndGet();
						}
						catch (LockUnavailableException | ExecutionException ex) {
							// stopped
						}
					}
				}));
			}
			for (int round = 0; round < 30; round++) {
				int before = granted.get();
				await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> granted.get() > before);
				restart();
			}
			over.set(true);
			for (CompletableFuture<Boolean> user : users) {
				get(user);
			}
			assertFree();
		}

	}

}
