package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;

import io.github.zklock.LockLease;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.testing.Patience;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The order in which readers and writers get the lock, what that costs in packets, and
 * their tokens.
 */
class ReadWriteQueueTests extends LockTestSupport {

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks locks = registry(this.proxy, SESSION_WITHOUT_TICKS);

	private final NamedLock read = this.locks.readLock("lock");

	private final NamedLock write = this.locks.writeLock("lock");

	private final ZooKeeperLocks others = registry();

	private final NamedLock readElsewhere = this.others.readLock("lock");

	private final NamedLock writeElsewhere = this.others.writeLock("lock");

	ReadWriteQueueTests(EmbeddedZooKeeper server, @ConnectString String connectString) throws Exception {
		super(server, connectString);
		warmUp(this.locks, "lock");
		this.proxy.resetCounts();
	}

	private long sent(Operation operation) {
		return this.proxy.frames(Direction.TO_SERVER, operation);
	}

	/**
	 * All requests but heartbeats and watches.
	 */
	private long sent() {
		return sent(Operation.ANY) - sent(Operation.SYNC) - sent(Operation.GET_DATA);
	}

	// Order

	@Test
	@Tag("H16")
	void readerBehindAWaitingWriterWaits() throws Exception {
		LockLease first = this.readElsewhere.acquire();
		CompletableFuture<LockLease> writer = this.writeElsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> second = this.read.acquireAsync(PATIENCE);
		settle(this.locks);
		assertThat(first.isHeld()).as("does not wait for a later writer").isTrue();
		assertThat(writer).isNotDone();
		assertThat(second).isNotDone();
		first.close();
		LockLease writing = get(writer);
		settle(this.locks);
		assertThat(second).isNotDone();
		writing.close();
		get(second).close();
	}

	@Test
	void readerBehindALocalWriterWaits() throws Exception {
		LockLease first = this.read.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> second = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		settle(this.locks);
		assertThat(writer).isNotDone();
		assertThat(second).isNotDone();
		first.close();
		LockLease writing = get(writer);
		settle(this.locks);
		assertThat(second).isNotDone();
		writing.close();
		get(second).close();
	}

	@Test
	void readersInFrontOfAWriterRunTogether() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> first = this.read.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> second = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		CompletableFuture<LockLease> writer = this.writeElsewhere.acquireAsync(PATIENCE);
		await().atMost(PATIENCE).until(() -> server().view().watchCount() >= 2);
		writing.close();
		LockLease reading = get(first);
		assertThat(get(second).isHeld()).isTrue();
		reading.close();
		assertThat(writer).isNotDone();
		get(second).close();
		get(writer).close();
	}

	@Test
	void writerIsNotStarvedByReaders() throws Exception {
		CountDownLatch begun = new CountDownLatch(4);
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<Void>> readers = new ArrayList<>();
		for (int reader = 0; reader < 4; reader++) {
			NamedLock own = (reader % 2 == 0) ? this.read : this.readElsewhere;
			readers.add(call(() -> useUntil(over, own, begun)));
		}
		assertThat(Patience.await(begun)).isTrue();
		for (int round = 0; round < 50; round++) {
			((round % 2 == 0) ? this.write : this.writeElsewhere).acquire().close();
		}
		over.set(true);
		for (CompletableFuture<Void> reader : readers) {
			get(reader);
		}
	}

	@Test
	void readersAreNotStarvedByLocalHandOvers() throws Exception {
		CountDownLatch begun = new CountDownLatch(4);
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<Void>> writers = new ArrayList<>();
		for (int writer = 0; writer < 4; writer++) {
			writers.add(call(() -> useUntil(over, this.write, begun)));
		}
		assertThat(Patience.await(begun)).isTrue();
		for (int round = 0; round < 50; round++) {
			((round % 2 == 0) ? this.read : this.readElsewhere).acquire().close();
		}
		over.set(true);
		for (CompletableFuture<Void> writer : writers) {
			get(writer);
		}
	}

	private static Void useUntil(AtomicBoolean over, NamedLock lock, CountDownLatch begun) {
		while (!over.get()) {
			lock.lock();
			begun.countDown();
			lock.unlock();
		}
		return null;
	}

	@Test
	void localReaderEndsLocalHandOvers() throws Exception {
		LockLease first = this.write.acquire();
		CompletableFuture<LockLease> second = this.write.acquireAsync(PATIENCE);
		settle(this.locks);
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		settle(this.locks);
		first.close();
		LockLease reading = get(reader);
		assertThat(second).isNotDone();
		reading.close();
		get(second).close();
	}

	// Watching

	@Test
	void readerWatchesTheNearestWriter() throws Exception {
		LockLease first = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> second = registry().writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		settle(this.locks);
		first.close();
		LockLease writing = get(second);
		settle(this.locks);
		assertThat(reader).isNotDone();
		assertThat(sent(Operation.GET_CHILDREN)).as("was not woken").isEqualTo(1);
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)).isZero();
		writing.close();
		get(reader).close();
		assertThat(sent(Operation.GET_CHILDREN)).as("knew who else was before").isEqualTo(1);
		assertThat(sent(Operation.GET_DATA)).as("looked at both writers").isEqualTo(2);
	}

	@Test
	@Tag("H37")
	void readerWaitsOnWhenTheNearestWriterGivesUp() throws Exception {
		LockLease first = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> second = registry().writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		settle(this.locks);
		second.cancel(false);
		awaitNodes("lock", 2);
		settle(this.locks);
		assertThat(reader).isNotDone();
		first.close();
		get(reader).close();
	}

	@Test
	@Tag("H37")
	void writerWaitsForEveryReader() throws Exception {
		LockLease first = this.readElsewhere.acquire();
		LockLease second = this.readElsewhere.acquire();
		LockLease third = this.readElsewhere.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		settle(this.locks);
		third.close();
		settle(this.locks);
		first.close();
		settle(this.locks);
		assertThat(writer).isNotDone();
		second.close();
		get(writer).close();
	}

	@Test
	@Tag("H63")
	void exactlyThoseWhoCanRunAreWoken() throws Exception {
		LockLease first = this.writeElsewhere.acquire();
		List<CompletableFuture<LockLease>> readers = queueReaders(20);
		CompletableFuture<LockLease> second = queue(ZooKeeperLocks::writeLock);
		List<CompletableFuture<LockLease>> behind = queueReaders(5);
		this.proxy.resetCounts();
		first.close();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader);
		}
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)).isEqualTo(20);
		assertThat(sent(Operation.GET_CHILDREN)).as("nobody had to look again").isZero();
		for (CompletableFuture<LockLease> reader : readers) {
			assertThat(second).isNotDone();
			get(reader).close();
		}
		LockLease writing = get(second);
		assertThat(sent(Operation.GET_CHILDREN)).as("was woken by the nearest reader only").isEqualTo(1);
		assertThat(behind).noneMatch(CompletableFuture::isDone);
		writing.close();
		for (CompletableFuture<LockLease> reader : behind) {
			get(reader).close();
		}
		assertThat(sent(Operation.GET_CHILDREN)).as("each knew who else was before").isEqualTo(1);
	}

	private List<CompletableFuture<LockLease>> queueReaders(int count) throws Exception {
		List<CompletableFuture<LockLease>> readers = new ArrayList<>();
		for (int reader = 0; reader < count; reader++) {
			readers.add(queue(ZooKeeperLocks::readLock));
		}
		return readers;
	}

	private CompletableFuture<LockLease> queue(BiFunction<ZooKeeperLocks, String, NamedLock> mode) throws Exception {
		ZooKeeperLocks own = registry(this.proxy);
		own.zooKeeper();
		CompletableFuture<LockLease> queued = mode.apply(own, "lock").acquireAsync(PATIENCE);
		settle(own);
		return queued;
	}

	@Test
	void readersOfOneSessionAreWokenByOneEvent() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		List<CompletableFuture<LockLease>> readers = new ArrayList<>();
		for (int reader = 0; reader < 10; reader++) {
			readers.add(this.read.acquireAsync(PATIENCE));
		}
		settle(this.locks);
		this.proxy.resetCounts();
		writing.close();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader);
		}
		assertThat(this.proxy.frames(Direction.TO_CLIENT, Operation.NOTIFICATION)).isEqualTo(1);
		assertThat(sent(Operation.GET_CHILDREN)).isZero();
		for (CompletableFuture<LockLease> reader : readers) {
			get(reader).close();
		}
	}

	@Test
	void readerThatGivesUpLeavesTheWatchToTheOthers() throws Exception {
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> gaveUp = this.read.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		settle(this.locks);
		gaveUp.cancel(false);
		awaitNodes("lock", 2);
		writing.close();
		get(reader).close();
	}

	@Test
	@Tag("H42")
	void writerThatAsksForItsTokenWakesNoReader() throws Exception {
		LockLease first = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> second = registry().writeLock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> another = this.read.acquireAsync(PATIENCE);
		settle(this.locks);
		first.close();
		LockLease writing = get(second);
		assertThat(writing.fencingToken()).isPositive();
		settle(this.locks);
		assertThat(reader).isNotDone();
		assertThat(another).isNotDone();
		writing.close();
		get(reader).close();
		get(another).close();
	}

	// Costs

	@Test
	void readersCycleCostsThreePacketsWithOrWithoutOtherReaders() throws Exception {
		cycle(10);
		try (LockLease other = this.readElsewhere.acquire()) {
			cycle(10);
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(sent(Operation.CREATE)).isEqualTo(20);
		assertThat(sent(Operation.GET_CHILDREN)).isEqualTo(20);
		assertThat(sent(Operation.DELETE)).isEqualTo(20);
		assertThat(sent()).isEqualTo(60);
	}

	private void cycle(int cycles) {
		for (int cycle = 0; cycle < cycles; cycle++) {
			this.read.lock();
			this.read.unlock();
		}
	}

	@Test
	void enteringAgainIsFree() {
		this.write.lock();
		long before = sent();
		this.read.lock();
		this.read.lock();
		this.write.unlock();
		this.read.unlock();
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		assertThat(sent()).isEqualTo(before);
		this.read.unlock();
		assertThat(sent()).isEqualTo(before + 1);
	}

	// Zero wait

	@Test
	void localReaderRefusesWritersWithoutTraffic() throws Exception {
		try (LockLease reading = this.read.acquire()) {
			assertRefusedWithoutTraffic(this.write);
			assertRefusedWithoutTraffic(this.locks.lock("lock"));
			assertThat(reading.isHeld()).isTrue();
		}
	}

	@Test
	void localWriterRefusesReadersWithoutTraffic() throws Exception {
		for (NamedLock exclusive : List.of(this.write, this.locks.lock("lock"))) {
			try (LockLease writing = exclusive.acquire()) {
				assertRefusedWithoutTraffic(this.read);
				assertThat(writing.isHeld()).isTrue();
			}
		}
	}

	@Test
	void waitingReaderRefusesLocalWritersWithoutTraffic() throws Exception {
		LockLease holder = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		settle(this.locks);
		assertRefusedWithoutTraffic(this.write);
		holder.close();
		get(reader).close();
	}

	@Test
	void waitingWriterRefusesLocalReadersWithoutTraffic() throws Exception {
		LockLease holder = this.readElsewhere.acquire();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		settle(this.locks);
		assertRefusedWithoutTraffic(this.read);
		holder.close();
		get(writer).close();
	}

	private void assertRefusedWithoutTraffic(NamedLock refused) throws Exception {
		long before = sent();
		for (int attempt = 0; attempt < 100; attempt++) {
			assertThat(refused.tryLock()).isFalse();
			assertThat(refused.tryAcquire(Duration.ZERO)).isEmpty();
		}
		assertThat(sent()).isEqualTo(before);
	}

	@Test
	void readerGetsALockThatOnlyReadersHoldWithoutWaiting() throws Exception {
		try (LockLease local = this.read.acquire(); LockLease remote = this.readElsewhere.acquire()) {
			assertThat(local.isHeld() && remote.isHeld()).isTrue();
			this.proxy.resetCounts();
			assertThat(this.read.tryLock()).isTrue();
			assertThat(sent(Operation.CREATE)).isEqualTo(1);
			assertThat(sent(Operation.GET_CHILDREN)).isEqualTo(2);
			assertThat(sent()).isEqualTo(3);
			this.read.unlock();
			this.read.tryAcquire(Duration.ZERO).orElseThrow().close();
		}
	}

	@Test
	void readerThatDoesNotWaitRespectsAWaitingWriter() throws Exception {
		LockLease reading = this.readElsewhere.acquire();
		CompletableFuture<LockLease> writer = this.writeElsewhere.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		assertThat(this.read.tryLock()).isFalse();
		assertThat(sent(Operation.CREATE)).isZero();
		writer.cancel(false);
		awaitNodes("lock", 1);
		assertThat(this.read.tryLock()).isTrue();
		this.read.unlock();
		reading.close();
	}

	@Test
	void remoteRefusalWritesNothing() throws Exception {
		try (LockLease writing = this.writeElsewhere.acquire()) {
			for (int attempt = 0; attempt < 10; attempt++) {
				assertThat(this.read.tryLock()).isFalse();
			}
			assertThat(writing.isHeld()).isTrue();
		}
		try (LockLease reading = this.readElsewhere.acquire()) {
			for (int attempt = 0; attempt < 10; attempt++) {
				assertThat(this.write.tryLock()).isFalse();
			}
			assertThat(reading.isHeld()).isTrue();
		}
		assertThat(sent(Operation.GET_CHILDREN)).isEqualTo(20);
		assertThat(sent()).isEqualTo(20);
	}

	// Tokens

	@Test
	@Tag("H21")
	void tokensGrowFromReadersToWritersAndBack() throws Exception {
		long lastWriter = 0;
		long lastReader = 0;
		for (int round = 0; round < 10; round++) {
			LockLease free = this.read.acquire();
			LockLease shared = this.readElsewhere.acquire();
			assertThat(free.fencingToken()).isGreaterThan(lastWriter);
			assertThat(shared.fencingToken()).isGreaterThan(lastWriter);
			lastReader = Math.max(free.fencingToken(), shared.fencingToken());
			CompletableFuture<LockLease> first = this.write.acquireAsync(PATIENCE);
			CompletableFuture<LockLease> second = this.write.acquireAsync(PATIENCE);
			awaitNodes("lock", 3);
			NamedLock waiting = (round % 2 == 0) ? this.read : this.readElsewhere;
			CompletableFuture<LockLease> waited = (round < 5) ? waiting.acquireAsync(PATIENCE) : null;
			awaitNodes("lock", (waited != null) ? 4 : 3);
			free.close();
			shared.close();
			long token = closing(get(first));
			assertThat(token).isGreaterThan(lastReader);
			lastWriter = token;
			if (waited != null) {
				token = closing(get(waited));
				assertThat(token).isGreaterThan(lastWriter);
				lastReader = token;
			}
			token = closing(get(second));
			assertThat(token).isGreaterThan(lastWriter).isGreaterThan(lastReader);
			lastWriter = token;
		}
	}

	private static long closing(LockLease lease) {
		try (lease) {
			return lease.fencingToken();
		}
	}

	@Test
	void readersTokenIsFreeUnlessItHasWaited() throws Exception {
		try (LockLease other = this.readElsewhere.acquire(); LockLease reading = this.read.acquire()) {
			assertThat(reading.fencingToken()).isGreaterThan(other.fencingToken());
		}
		assertThat(sent(Operation.SET_DATA)).isZero();
		LockLease writing = this.writeElsewhere.acquire();
		CompletableFuture<LockLease> waited = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		writing.close();
		closing(get(waited));
		assertThat(sent(Operation.SET_DATA)).isEqualTo(1);
	}

	@Test
	void readerInsideAWriterSharesItsToken() {
		this.write.lock();
		long token = this.write.lease().orElseThrow().fencingToken();
		this.read.lock();
		this.write.unlock();
		assertThat(this.read.lease().orElseThrow().fencingToken()).isEqualTo(token);
		this.read.unlock();
	}

	/**
	 * The node of the later one is created before the earlier one writes for its token,
	 * and listed when that is gone.
	 */
	@Test
	void czxidOfANodeThatWasCreatedBeforeAnEarlierTokenIsNotUsed() throws Exception {
		assertTokenGrows(this.writeElsewhere, this.read);
		assertTokenGrows(this.readElsewhere, this.write);
	}

	private void assertTokenGrows(NamedLock earlier, NamedLock later) throws Exception {
		LockLease blocking = this.others.lock("lock").acquire();
		CompletableFuture<LockLease> first = earlier.acquireAsync(PATIENCE);
		if (earlier == this.readElsewhere) {
			awaitNodes("lock", 2);
		}
		blocking.close();
		LockLease holding = get(first);
		FaultProxy.Trigger held = this.proxy.hold(Direction.TO_SERVER, Operation.GET_CHILDREN, 1);
		CompletableFuture<LockLease> second = later.acquireAsync(PATIENCE);
		assertThat(held.await(PATIENCE)).isTrue();
		awaitNodes("lock", 2);
		long token = holding.fencingToken();
		holding.close();
		awaitNodes("lock", 1);
		this.proxy.heal();
		try (LockLease lease = get(second)) {
			assertThat(lease.fencingToken()).isGreaterThan(token);
		}
	}

}
