package io.github.zklock.engine;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Readers that lose the lock, give up, or are shut down, and what is left of them.
 */
class ReadWriteLossTests extends LockTestSupport {

	private static final Duration SHORT_SESSION = Duration.ofSeconds(6);

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SHORT_SESSION);

	private final NamedLock read = this.locks.readLock("lock");

	private final NamedLock write = this.locks.writeLock("lock");

	private final ZooKeeperLocks others = registry();

	private final NamedLock readElsewhere = this.others.readLock("lock");

	private final NamedLock writeElsewhere = this.others.writeLock("lock");

	ReadWriteLossTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * Expire the session as a server may: when the lease of all that it has acknowledged
	 * is over.
	 */
	private void expire() throws Exception {
		ZooKeeper victim = this.locks.zooKeeper();
		this.proxy.hold(Direction.TO_SERVER);
		awaitLeaseEnd(this.locks);
		expireOnServer(victim);
		this.proxy.release(Direction.TO_CLIENT);
		awaitDisconnected(this.locks);
	}

	private void assertNothingLeft() throws Exception {
		awaitNodes("lock", 0);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(keeper(this.locks).dependents()).isEmpty());
		this.write.tryAcquire(Duration.ZERO).orElseThrow().close();
	}

	private String nodeOf(ZooKeeperLocks owner) {
		List<String> own = server().view().ephemerals(owner.zooKeeper().getSessionId());
		assertThat(own).hasSize(1);
		return own.get(0).substring(chroot().length());
	}

	// Loss

	@Test
	@Tag("H03")
	void allReadersOfASilentConnectionAreLostBeforeTheLockIsFree() throws Exception {
		this.read.lock();
		List<LockLease> leases = List.of(this.read.lease().orElseThrow(), this.read.acquire(), this.read.acquire());
		CountDownLatch lost = new CountDownLatch(3);
		leases.forEach((lease) -> lease.onLost(lost::countDown));
		CompletableFuture<Boolean> heldWhenGranted = new CompletableFuture<>();
		CompletableFuture<LockLease> writer = this.writeElsewhere.acquireAsync(PATIENCE).thenApply((granted) -> {
			heldWhenGranted.complete(leases.stream().anyMatch(LockLease::isHeld));
			return granted;
		});
		awaitNodes("lock", 4);
		long session = this.locks.zooKeeper().getSessionId();
		this.proxy.swallow();
		keepOnServer(session);
		assertThat(Patience.await(lost)).isTrue();
		assertThat(leases).noneMatch(LockLease::isHeld);
		assertThat(writer).as("told while the server still keeps the lock").isNotDone();
		server().server().closeSession(session);
		assertThat(get(heldWhenGranted)).isFalse();
		get(writer).close();
	}

	@Test
	@Tag("H13")
	void lostReaderEntersNoMoreUntilItHasUnlocked() throws Exception {
		this.read.lock();
		this.read.lock();
		LockLease lease = this.read.lease().orElseThrow();
		expire();
		this.proxy.heal();
		await().atMost(PATIENCE).until(() -> !lease.isHeld());
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.read::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.read::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.write::tryLock);
		assertThat(this.read.lease()).containsSame(lease);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.read::unlock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.read::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.read::unlock);
		this.write.lock();
		this.write.unlock();
	}

	@Test
	void lossOfAWriterIsALossOfTheReaderInsideIt() throws Exception {
		this.write.lock();
		this.read.lock();
		this.write.unlock();
		LockLease lease = this.read.lease().orElseThrow();
		this.proxy.swallow();
		awaitLeaseEnd(this.locks);
		assertThat(lease.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.read::unlock);
		assertThat(this.read.lease()).isEmpty();
	}

	@Test
	@Tag("H14")
	void lostReadersStayLostAndTheirNodesGoWhenTheSameSessionComesBack() throws Exception {
		LockLease first = this.read.acquire();
		LockLease second = this.read.acquire();
		long session = this.locks.zooKeeper().getSessionId();
		this.proxy.hold(Direction.TO_CLIENT);
		awaitLeaseEnd(this.locks);
		assertThat(first.isHeld() || second.isHeld()).isFalse();
		this.proxy.heal();
		try (LockLease writing = this.write.acquire()) {
			assertThat(this.locks.zooKeeper().getSessionId()).as("the same session").isEqualTo(session);
			assertThat(first.isHeld() || second.isHeld()).isFalse();
			first.close();
			assertThat(writing.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1);
		}
		assertNothingLeft();
	}

	@Test
	void waitingReadersOfAnExpiredSessionQueueAgain() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		List<CompletableFuture<LockLease>> readers = List.of(this.read.acquireAsync(PATIENCE),
				this.read.acquireAsync(PATIENCE), acquire(this.read));
		awaitNodes("lock", 4);
		expire();
		awaitNodes("lock", 1);
		assertThat(readers).noneMatch(CompletableFuture::isDone);
		this.proxy.heal();
		awaitNodes("lock", 4);
		assertThat(readers).noneMatch(CompletableFuture::isDone);
		writing.close();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
		assertNothingLeft();
	}

	/**
	 * The list that shows no writer comes when the session is over and a writer has the
	 * lock.
	 */
	@Test
	@Tag("H05")
	void readersGrantThatComesTooLateIsConfirmedFirst() throws Exception {
		warmUp(this.locks, "lock");
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_CLIENT, Operation.GET_CHILDREN, 1);
		CompletableFuture<LockLease> late = this.read.acquireAsync(PATIENCE);
		assertThat(held.await(PATIENCE)).isTrue();
		ZooKeeper victim = this.locks.zooKeeper();
		this.proxy.hold(Direction.TO_SERVER);
		awaitLeaseEnd(this.locks);
		expireOnServer(victim);
		try (LockLease writing = this.writeElsewhere.acquire()) {
			this.proxy.release(Direction.TO_CLIENT);
			awaitDisconnected(this.locks);
			this.proxy.heal();
			awaitNodes("lock", 2);
			assertThat(late).isNotDone();
			assertThat(writing.isHeld()).isTrue();
		}
		get(late).close();
	}

	@Test
	@Tag("H12")
	void readersNodeDeletedByHandIsNoticed() throws Exception {
		LockLease lease = this.read.acquire();
		LockLease other = this.readElsewhere.acquire();
		CountDownLatch lost = new CountDownLatch(1);
		lease.onLost(lost::countDown);
		this.others.zooKeeper().delete(nodeOf(this.locks), -1);
		assertThat(Patience.await(lost)).isTrue();
		assertThat(lease.isHeld()).isFalse();
		assertThat(other.isHeld()).isTrue();
		other.close();
		assertNothingLeft();
	}

	@Test
	@Tag("H12")
	void waitingReadersNodeDeletedByHandIsReplaced() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		String node = nodeOf(this.locks);
		this.others.zooKeeper().delete(node, -1);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(nodes("lock")).hasSize(2));
		assertThat(nodeOf(this.locks)).isNotEqualTo(node);
		writing.close();
		get(reader).close();
	}

	@Test
	@Tag("H35")
	void writerThatLeavesDuringAnOutageIsNoticedAfterwards() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		List<CompletableFuture<LockLease>> readers = List.of(this.read.acquireAsync(PATIENCE),
				this.read.acquireAsync(PATIENCE));
		awaitNodes("lock", 3);
		this.proxy.refuse();
		awaitDisconnected(this.locks);
		writing.close();
		this.proxy.heal();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
	}

	@Test
	@Tag("H30")
	void readersCreateWhoseReplyIsLostIsFoundAgain() throws Exception {
		warmUp(this.locks, "lock");
		FaultProxy.Trigger cut = this.proxy.cutAfter(Operation.CREATE, 1);
		List<CompletableFuture<LockLease>> readers = List.of(this.read.acquireAsync(PATIENCE),
				this.read.acquireAsync(PATIENCE));
		for (CompletableFuture<LockLease> reader : readers) {
			assertThat(get(reader).isHeld()).isTrue();
		}
		assertThat(cut.hasFired()).isTrue();
		assertThat(nodes("lock")).hasSize(2);
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
		assertNothingLeft();
	}

	// Giving up

	@Test
	void readerThatRunsOutOfTimeLeavesNothing() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		this.locks.zooKeeper();
		assertThat(this.read.tryAcquire(Duration.ofSeconds(2))).isEmpty();
		assertThat(this.read.acquireAsync(Duration.ofSeconds(2))).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockTimeoutException.class);
		awaitNodes("lock", 1);
		writing.close();
		assertNothingLeft();
	}

	@Test
	void readerThatIsCancelledLeavesNothing() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		reader.cancel(false);
		awaitNodes("lock", 1);
		writing.close();
		assertNothingLeft();
	}

	@Test
	void readerThatIsInterruptedLeavesNothing() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		AtomicReference<Thread> waiter = new AtomicReference<>();
		CompletableFuture<Optional<LockLease>> reader = call(() -> {
			waiter.set(Thread.currentThread());
			return this.read.tryAcquire(PATIENCE);
		});
		awaitNodes("lock", 2);
		waiter.get().interrupt();
		assertThat(reader).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
		awaitNodes("lock", 1);
		writing.close();
		assertNothingLeft();
	}

	@Test
	@Tag("H32")
	void readerGivesUpWhileNobodyKnowsWhetherItsNodeExists() throws Exception {
		warmUp(this.locks, "lock");
		this.proxy.hold(Direction.TO_CLIENT, Operation.CREATE, 1);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.read.tryAcquire(Duration.ofSeconds(1)));
		awaitNodes("lock", 1);
		this.proxy.cut();
		this.proxy.heal();
		assertNothingLeft();
	}

	@Test
	void writerBehindAReaderThatGivesUpWaitsOn() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> next = registry().writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		reader.cancel(false);
		awaitNodes("lock", 2);
		assertThat(next).isNotDone();
		writing.close();
		get(next).close();
	}

	/**
	 * What is known here needs no answer from ZooKeeper.
	 */
	@Test
	void localContentionIsNeverReportedAsUnavailable() throws Exception {
		assertContended(this.write, this.read);
		assertContended(this.read, this.write);
	}

	private void assertContended(NamedLock held, NamedLock wanted) throws Exception {
		try (LockLease lease = held.acquire()) {
			this.proxy.delay(Duration.ofMillis(100));
			assertThat(wanted.tryAcquire(Duration.ofMillis(5))).isEmpty();
			assertThat(wanted.acquireAsync(Duration.ofMillis(5))).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockTimeoutException.class);
			assertThat(lease.isHeld()).isTrue();
		}
		this.proxy.delay(Duration.ZERO);
		awaitNodes("lock", 0);
	}

	@Test
	void twoWhoWaitForAnAnswerAreNotContention() throws Exception {
		warmUp(this.locks, "lock");
		this.proxy.hold(Direction.TO_CLIENT);
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.write.tryAcquire(Duration.ofMillis(50)));
		this.proxy.heal();
		get(reader).close();
		assertNothingLeft();
	}

	@Test
	void cancelRacesReadersGrant() throws Exception {
		int granted = 0;
		int cancelled = 0;
		for (int race = 0; race < 300 || granted == 0 || cancelled == 0; race++) {
			LockLease writing = this.writeElsewhere.acquire();
			CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
			awaitNodes("lock", 2);
			CompletableFuture<Void> released = call(() -> {
				writing.close();
				return null;
			});
			long lead = System.nanoTime() + 10_000L * (race % 300);
			while (System.nanoTime() < lead) {
				Thread.onSpinWait();
			}
			if (reader.cancel(false)) {
				cancelled++;
			}
			else {
				granted++;
				reader.get().close();
			}
			get(released);
		}
		assertNothingLeft();
	}

	// Closing the registry

	@Test
	void closeRefusesReadersWhoWait() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> future = this.read.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> thread = acquire(this.read);
		awaitNodes("lock", 3);
		this.locks.close();
		for (CompletableFuture<LockLease> waiting : List.of(future, thread, this.read.acquireAsync(PATIENCE))) {
			assertThat(waiting).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("'lock'")
				.withMessageContaining("closed");
		}
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.read::lock);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.read::tryLock);
		assertThat(nodes("lock")).hasSize(1);
		writing.close();
	}

	@Test
	@Tag("H17")
	void closeWaitsForEveryReader() throws Exception {
		ZooKeeperLocks closed = builder().closeWait(PATIENCE).build();
		LockLease first = closed.readLock("lock").acquire();
		LockLease second = closed.readLock("lock").acquire();
		CompletableFuture<Void> closing = call(() -> {
			closed.close();
			return null;
		});
		await().atMost(PATIENCE).until(() -> keeper(closed).isClosed());
		first.close();
		assertThat(second.isHeld()).isTrue();
		assertThat(closing).isNotDone();
		second.close();
		get(closing);
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void closeTakesTheLockFromReadersThatStay() throws Exception {
		ZooKeeperLocks closed = builder().build();
		List<LockLease> leases = List.of(closed.readLock("lock").acquire(), closed.readLock("lock").acquire());
		CountDownLatch lost = new CountDownLatch(2);
		leases.forEach((lease) -> lease.onLost(lost::countDown));
		closed.close();
		assertThat(leases).noneMatch(LockLease::isHeld);
		assertThat(Patience.await(lost)).isTrue();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void readerMayCloseTheRegistry() {
		ZooKeeperLocks closed = builder().closeWait(Duration.ofDays(1)).build();
		closed.readLock("lock").lock();
		closed.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> closed.readLock("lock").unlock());
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void closeEndsLingeringReadersAtOnce() throws Exception {
		ZooKeeperLocks closed = builder().closeWait(Duration.ofDays(1)).build();
		closed.readLock("lock").acquire().close(Duration.ofDays(1));
		closed.readLock("lock").acquire().close(Duration.ofDays(1));
		closed.close();
		assertThat(nodes("lock")).isEmpty();
	}

	@Test
	void closeRacesNewReadersAndForgetsNone() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		for (int round = 0; round < 20; round++) {
			ZooKeeperLocks closed = builder().build();
			closed.zooKeeper();
			CountDownLatch asked = new CountDownLatch(round + 1);
			CompletableFuture<List<CompletableFuture<LockLease>>> asking = call(() -> {
				List<CompletableFuture<LockLease>> readers = new ArrayList<>();
				// Each of them lists all the others, so that there must not be too many
				while (readers.size() < 500 && (readers.isEmpty() || !readers.get(0).isDone())) {
					readers.add(closed.readLock("lock").acquireAsync(PATIENCE));
					asked.countDown();
				}
				return readers;
			});
			assertThat(Patience.await(asked)).isTrue();
			closed.close();
			for (CompletableFuture<LockLease> reader : get(asking)) {
				assertThat(reader).failsWithin(PATIENCE)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class);
			}
		}
		awaitNodes("lock", 1);
		writing.close();
	}

	// Memory

	@Test
	@Tag("H52")
	void namesOfReadersAreForgotten() throws Exception {
		LockLease held = this.locks.readLock("held").acquire();
		for (int index = 0; index < 1_000; index++) {
			this.locks.readLock("name-" + index);
		}
		for (int index = 0; index < 20; index++) {
			this.locks.readLock("used-" + index).acquire().close();
		}
		await().atMost(PATIENCE).untilAsserted(() -> {
			System.gc();
			this.locks.readLock("another");
			assertThat(engine(this.locks).queues().size()).isLessThan(10);
		});
		assertThat(this.locks.writeLock("held").tryLock()).as("the reader is still known").isFalse();
		held.close();
	}

	@Test
	@Tag("H52")
	void nothingOfAReaderIsKeptByItsLock() throws Exception {
		WeakReference<Dependent> used = useOnce();
		await().atMost(PATIENCE).untilAsserted(() -> {
			System.gc();
			assertThat(used.get()).isNull();
		});
		assertThat(this.read.tryLock()).isTrue();
		this.read.unlock();
	}

	private WeakReference<Dependent> useOnce() throws InterruptedException {
		try (LockLease lease = this.read.acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(keeper(this.locks).dependents()).hasSize(1);
			return new WeakReference<>(keeper(this.locks).dependents().get(0));
		}
	}

	@Test
	@Tag("H64")
	void tenThousandReadersLeaveNothing() throws Exception {
		List<CompletableFuture<Void>> threads = new ArrayList<>();
		for (int thread = 0; thread < 8; thread++) {
			threads.add(call(() -> {
				for (int use = 0; use < 1_250; use++) {
					this.readElsewhere.lock();
					this.readElsewhere.unlock();
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> thread : threads) {
			get(thread);
		}
		assertThat(nodes("lock")).isEmpty();
		assertThat(keeper(this.others).dependents()).isEmpty();
		assertThat(this.writeElsewhere.tryLock()).isTrue();
		this.writeElsewhere.unlock();
	}

}
