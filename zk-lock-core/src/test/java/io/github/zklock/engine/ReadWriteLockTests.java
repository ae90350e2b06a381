package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.zklock.LockLease;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who shares a lock with whom, and what a thread may do with a lock that it holds.
 */
class ReadWriteLockTests extends LockTestSupport {

	private static final String READ_NODE = "_c_[0-9a-f-]{36}-__READ__\\d{10}";

	private static final String LOCK_NODE = "_c_[0-9a-f-]{36}-lock-\\d{10}";

	private static final String CURATOR_WRITE_NODE = "_c_[0-9a-f-]{36}-__WRIT__\\d{10}";

	private final ZooKeeperLocks locks = registry();

	private final NamedLock lock = this.locks.lock("lock");

	private final NamedLock read = this.locks.readLock("lock");

	private final NamedLock write = this.locks.writeLock("lock");

	private final ZooKeeperLocks others = registry();

	private final NamedLock lockElsewhere = this.others.lock("lock");

	private final NamedLock readElsewhere = this.others.readLock("lock");

	private final NamedLock writeElsewhere = this.others.writeLock("lock");

	ReadWriteLockTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private void assertFree() {
		assertThat(nodes("lock")).isEmpty();
		assertThat(this.writeElsewhere.tryLock()).isTrue();
		this.writeElsewhere.unlock();
	}

	private static void assertRefused(ThrowingCallable call) {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(call).withMessageContaining("'lock'");
	}

	// Sharing and excluding

	@Test
	void readersShareTheLock() throws Exception {
		List<LockLease> readers = new ArrayList<>();
		for (NamedLock reader : List.of(this.read, this.read, this.readElsewhere, this.locks.readLock("lock"))) {
			readers.add(reader.acquire());
		}
		assertThat(readers).allMatch(LockLease::isHeld);
		assertThat(nodes("lock")).hasSize(4).allMatch((node) -> node.matches(READ_NODE));
		readers.get(0).close();
		assertThat(readers.subList(1, 4)).allMatch(LockLease::isHeld);
		assertThat(nodes("lock")).hasSize(3);
		readers.forEach(LockLease::close);
		assertFree();
	}

	@Test
	void threadsShareTheLock() throws Exception {
		this.read.lock();
		assertThat(get(call(() -> {
			this.read.lock();
			boolean held = this.read.isHeldByCurrentThread();
			this.read.unlock();
			return held;
		}))).isTrue();
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
		assertFree();
	}

	@Test
	void exclusiveLocksKeepReadersOut() throws Exception {
		for (NamedLock exclusive : List.of(this.lock, this.write, this.lockElsewhere, this.writeElsewhere)) {
			assertWaitsFor(exclusive, this.read);
			assertWaitsFor(exclusive, this.readElsewhere);
		}
	}

	@Test
	void readersKeepExclusiveLocksOut() throws Exception {
		for (NamedLock exclusive : List.of(this.lock, this.write, this.lockElsewhere, this.writeElsewhere)) {
			assertWaitsFor(this.read, exclusive);
			assertWaitsFor(this.readElsewhere, exclusive);
		}
	}

	private void assertWaitsFor(NamedLock held, NamedLock excluded) throws Exception {
		LockLease lease = held.acquire();
		assertRefusedAtOnce(excluded);
		CompletableFuture<LockLease> waiting = excluded.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		settle(this.locks);
		settle(this.others);
		assertThat(waiting).isNotDone();
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		get(waiting).close();
	}

	private static void assertRefusedAtOnce(NamedLock excluded) throws InterruptedException {
		assertThat(excluded.tryLock()).isFalse();
		assertThat(excluded.tryAcquire(Duration.ZERO)).isEmpty();
	}

	@Test
	void writeLockIsTheExclusiveLock() throws Exception {
		this.lock.lock();
		assertThat(get(call(() -> this.write.tryLock()))).isFalse();
		this.write.lock();
		assertThat(nodes("lock")).hasSize(1);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(this.write.isHeldByCurrentThread()).isTrue();
		this.lock.unlock();
		assertThat(this.lockElsewhere.tryLock()).isFalse();
		this.write.unlock();
		assertFree();
	}

	@Test
	void writersAndLockersShareOneNodeAndOneQueue() throws Exception {
		LockLease first = this.write.acquire();
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> third = this.write.acquireAsync(PATIENCE);
		String node = nodes("lock").get(0);
		first.close();
		LockLease locker = get(second);
		assertThat(third).isNotDone();
		assertThat(nodes("lock")).containsExactly(node);
		locker.close();
		get(third).close();
		assertFree();
	}

	// Entering again

	@Test
	void readerEntersAgain() throws Exception {
		this.read.lock();
		this.read.lock();
		assertThat(this.read.tryLock()).isTrue();
		assertThat(this.read.tryLock(1, TimeUnit.SECONDS)).isTrue();
		this.read.lockInterruptibly();
		assertThat(nodes("lock")).hasSize(1);
		for (int inner = 0; inner < 4; inner++) {
			this.read.unlock();
			assertThat(this.read.isHeldByCurrentThread()).isTrue();
			assertThat(nodes("lock")).hasSize(1);
		}
		this.read.unlock();
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
		assertFree();
	}

	@Test
	void readerEntersAgainWhileAWriterWaits() throws Exception {
		this.read.lock();
		CompletableFuture<LockLease> writer = this.writeElsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		this.read.lock();
		assertThat(writer).isNotDone();
		this.read.unlock();
		this.read.unlock();
		get(writer).close();
	}

	@Test
	void writerEntersAgain() {
		this.write.lock();
		this.write.lock();
		assertThat(this.write.tryLock()).isTrue();
		this.write.unlock();
		this.write.unlock();
		assertThat(this.write.isHeldByCurrentThread()).isTrue();
		this.write.unlock();
		assertFree();
	}

	@Test
	void writerMayReadWithoutASecondNode() throws Exception {
		this.write.lock();
		this.read.lock();
		assertThat(this.read.tryLock()).isTrue();
		assertThat(this.read.tryLock(1, TimeUnit.SECONDS)).isTrue();
		this.read.lockInterruptibly();
		assertThat(nodes("lock")).hasSize(1).allMatch((node) -> node.matches(LOCK_NODE));
		for (int inner = 0; inner < 4; inner++) {
			this.read.unlock();
		}
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
		assertThat(this.write.isHeldByCurrentThread()).isTrue();
		this.write.unlock();
		assertFree();
	}

	@Test
	@Tag("H15")
	void lockStaysExclusiveWhenTheWriterGoesOnReading() throws Exception {
		this.write.lock();
		CompletableFuture<LockLease> waitingWriter = this.writeElsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		String node = nodes("lock").stream()
			.sorted((a, b) -> a.substring(40).compareTo(b.substring(40)))
			.toList()
			.get(0);
		this.read.lock();
		this.write.unlock();
		assertThat(nodes("lock")).hasSize(2).contains(node);
		assertThat(this.readElsewhere.tryLock()).isFalse();
		assertThat(get(call(() -> this.read.tryLock()))).isFalse();
		assertThat(waitingWriter).isNotDone();
		this.read.unlock();
		get(waitingWriter).close();
		assertFree();
	}

	@Test
	void readerMayNotWrite() {
		this.read.lock();
		assertWritingIsRefusedAtOnce();
		assertThat(nodes("lock")).hasSize(1);
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
		assertRefused(this.read::unlock);
		assertFree();
	}

	@Test
	void writerThatOnlyReadsAnyMoreMayNotWriteAgain() {
		this.write.lock();
		this.read.lock();
		this.write.unlock();
		assertWritingIsRefusedAtOnce();
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
		assertFree();
	}

	private void assertWritingIsRefusedAtOnce() {
		for (NamedLock exclusive : List.of(this.write, this.lock)) {
			assertRefused(exclusive::lock);
			assertRefused(exclusive::lockInterruptibly);
			assertRefused(exclusive::tryLock);
			assertRefused(() -> exclusive.tryLock(1, TimeUnit.DAYS));
			assertRefused(exclusive::unlock);
			assertThat(exclusive.isHeldByCurrentThread()).isFalse();
			assertThat(exclusive.lease()).isEmpty();
		}
	}

	@Test
	void modeThatWasNotEnteredCannotBeLeft() {
		this.write.lock();
		assertRefused(this.read::unlock);
		assertThat(this.write.isHeldByCurrentThread()).isTrue();
		this.read.lock();
		this.read.unlock();
		assertRefused(this.read::unlock);
		this.write.unlock();
		assertFree();
	}

	@Test
	void otherThreadsMayNotUnlockAReader() {
		this.read.lock();
		assertThat(call(() -> {
			this.read.unlock();
			return null;
		})).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(IllegalMonitorStateException.class);
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
	}

	@Test
	void closingTheLeaseEndsAllThatWasEntered() throws Exception {
		this.write.lock();
		this.read.lock();
		this.read.lock();
		LockLease lease = this.read.lease().orElseThrow();
		get(call(() -> {
			lease.close();
			return null;
		}));
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
		assertThat(this.write.isHeldByCurrentThread()).isFalse();
		assertRefused(this.read::unlock);
		assertRefused(this.write::unlock);
		assertFree();
		this.read.lock();
		assertThat(nodes("lock")).hasSize(1).allMatch((node) -> node.matches(READ_NODE));
		this.read.unlock();
	}

	@Test
	void closingAReadersLeaseEndsItsWholeHold() {
		this.read.lock();
		this.read.lock();
		this.read.lease().orElseThrow().close();
		assertRefused(this.read::unlock);
		assertFree();
		this.write.lock();
		this.write.unlock();
	}

	// Leases are never re-entrant

	@Test
	void leaseOfAWriterWaitsForTheReadingThread() throws Exception {
		this.read.lock();
		assertThat(this.write.tryAcquire(Duration.ZERO)).isEmpty();
		assertThat(this.write.tryAcquire(Duration.ofMillis(20))).isEmpty();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		assertThat(writer).isNotDone();
		this.read.unlock();
		get(writer).close();
		assertFree();
	}

	@Test
	void leaseOfAReaderWaitsForTheWritingThread() throws Exception {
		this.write.lock();
		assertThat(this.read.tryAcquire(Duration.ZERO)).isEmpty();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		assertThat(reader).isNotDone();
		this.write.unlock();
		get(reader).close();
		assertFree();
	}

	@Test
	void readersLeaseIsNoThreadsHold() throws Exception {
		LockLease lease = this.read.acquire();
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
		assertThat(this.read.lease()).isEmpty();
		assertRefused(this.read::unlock);
		assertThat(this.write.tryLock()).as("contended, not refused").isFalse();
		this.read.lock();
		assertThat(nodes("lock")).hasSize(2);
		lease.close();
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		this.read.unlock();
		assertFree();
	}

	@Test
	void readersLeaseLingers() throws Exception {
		LockLease lease = this.read.acquire();
		lease.close(Duration.ofDays(1));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.write.tryLock()).isFalse();
		assertThat(this.writeElsewhere.tryLock()).isFalse();
		assertThat(this.read.tryLock()).isTrue();
		this.read.unlock();
		assertThat(nodes("lock")).hasSize(1);
	}

	// Names of nodes

	@Test
	void bothExclusiveLocksHaveTheSameKindOfNode() throws Exception {
		for (NamedLock exclusive : List.of(this.lock, this.write)) {
			try (LockLease lease = exclusive.acquire()) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(nodes("lock")).hasSize(1).allMatch((node) -> node.matches(LOCK_NODE));
			}
		}
	}

	@Test
	void curatorsNamesAreAnOption() throws Exception {
		ZooKeeperLocks curators = closing(builder().curatorReadWrite(true).build());
		try (LockLease lease = curators.writeLock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1).allMatch((node) -> node.matches(CURATOR_WRITE_NODE));
			assertRefusedAtOnce(this.read);
			assertRefusedAtOnce(this.lock);
			assertRefusedAtOnce(this.write);
			assertRefusedAtOnce(curators.readLock("lock"));
			assertRefusedAtOnce(curators.lock("lock"));
		}
		try (LockLease lease = curators.lock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1).allMatch((node) -> node.matches(LOCK_NODE));
		}
		try (LockLease lease = curators.readLock("lock").acquire()) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(nodes("lock")).hasSize(1).allMatch((node) -> node.matches(READ_NODE));
		}
	}

	@Test
	void nodeIsNotHandedToARequestOfTheOtherKind() throws Exception {
		ZooKeeperLocks curators = closing(builder().curatorReadWrite(true).build());
		List<NamedLock> order = List.of(curators.lock("lock"), curators.writeLock("lock"), curators.writeLock("lock"),
				curators.lock("lock"), curators.lock("lock"), curators.writeLock("lock"));
		List<String> expected = List.of(LOCK_NODE, CURATOR_WRITE_NODE, CURATOR_WRITE_NODE, LOCK_NODE, LOCK_NODE,
				CURATOR_WRITE_NODE);
		List<CompletableFuture<LockLease>> requests = new ArrayList<>();
		order.forEach((exclusive) -> requests.add(exclusive.acquireAsync(PATIENCE)));
		for (int request = 0; request < order.size(); request++) {
			LockLease lease = get(requests.get(request));
			assertThat(nodes("lock")).singleElement().asString().matches(expected.get(request));
			assertThat(requests.subList(request + 1, order.size())).noneMatch(CompletableFuture::isDone);
			lease.close();
		}
		assertFree();
	}

	@Test
	void nodeOfOneWhoGaveUpIsNotGivenToARequestOfTheOtherKind() throws Exception {
		ZooKeeperLocks curators = closing(builder().curatorReadWrite(true).build());
		LockLease holder = this.lock.acquire();
		CompletableFuture<LockLease> gaveUp = curators.lock("lock").acquireAsync(PATIENCE);
		CompletableFuture<LockLease> writer = curators.writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		gaveUp.cancel(false);
		holder.close();
		LockLease lease = get(writer);
		assertThat(nodes("lock")).singleElement().asString().matches(CURATOR_WRITE_NODE);
		lease.close();
		assertFree();
	}

}
