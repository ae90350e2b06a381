package io.github.zklock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.testing.Callers;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One path, used by zk-lock and by Curator.
 */
class CuratorInteropTests extends LockTestSupport {

	private final CuratorFramework curator = startCurator();

	private final ZooKeeperLocks locks = registry();

	private final FaultProxy proxy = proxy();

	private final ZooKeeperLocks shared = closing(
			builder(this.proxy.connectString(), LONG_SESSION).curatorReadWrite(true).build());

	private final NamedLock read = this.shared.readLock("lock");

	private final NamedLock write = this.shared.writeLock("lock");

	/**
	 * Curator's locks belong to threads, so there is one that does not change.
	 */
	private final ExecutorService curatorsThread = Executors.newSingleThreadExecutor();

	CuratorInteropTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
		closing(this.curatorsThread::shutdownNow);
	}

	private CuratorFramework startCurator() {
		CuratorFramework started = closing(
				CuratorFrameworkFactory.newClient(server().connectString(), new RetryOneTime(100)));
		started.start();
		return started;
	}

	private InterProcessMutex mutex() {
		return new InterProcessMutex(this.curator, chroot() + parent("lock"));
	}

	private InterProcessReadWriteLock readWriteLock() {
		return new InterProcessReadWriteLock(this.curator, chroot() + parent("lock"));
	}

	private <T> CompletableFuture<T> byCurator(Callable<T> task) {
		return Callers.call(this.curatorsThread, task);
	}

	private CompletableFuture<Boolean> take(InterProcessMutex mutex) {
		return byCurator(() -> mutex.acquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
	}

	private boolean tryToTake(InterProcessMutex mutex) throws Exception {
		return get(byCurator(() -> mutex.acquire(20, TimeUnit.MILLISECONDS)));
	}

	private void giveBack(InterProcessMutex mutex) throws Exception {
		get(byCurator(() -> {
			mutex.release();
			return null;
		}));
	}

	// Mutex

	@Test
	void mutexWaitsForALock() throws Exception {
		InterProcessMutex mutex = mutex();
		for (NamedLock exclusive : List.of(this.locks.lock("lock"), this.locks.writeLock("lock"))) {
			LockLease lease = exclusive.acquire();
			assertThat(tryToTake(mutex)).isFalse();
			CompletableFuture<Boolean> waiting = take(mutex);
			awaitNodes("lock", 2);
			assertThat(waiting).isNotDone();
			lease.close();
			assertThat(get(waiting)).isTrue();
			giveBack(mutex);
		}
	}

	@Test
	void lockWaitsForAMutex() throws Exception {
		InterProcessMutex mutex = mutex();
		for (NamedLock exclusive : List.of(this.locks.lock("lock"), this.locks.writeLock("lock"))) {
			assertThat(get(take(mutex))).isTrue();
			assertThat(exclusive.tryLock()).isFalse();
			CompletableFuture<LockLease> waiting = exclusive.acquireAsync(PATIENCE);
			awaitNodes("lock", 2);
			settle(this.locks);
			assertThat(waiting).isNotDone();
			giveBack(mutex);
			get(waiting).close();
		}
	}

	@Test
	void mutexesAndLocksTakeTurns() throws Exception {
		InterProcessMutex mutex = mutex();
		LockLease first = this.locks.lock("lock").acquire();
		CompletableFuture<Boolean> second = take(mutex);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> third = registry().lock("lock").acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		CompletableFuture<LockLease> fourth = this.locks.lock("lock").acquireAsync(PATIENCE);
		settle(this.locks);
		first.close();
		assertThat(get(second)).isTrue();
		awaitNodes("lock", 3);
		assertThat(third).isNotDone();
		giveBack(mutex);
		LockLease lease = get(third);
		assertThat(fourth).isNotDone();
		lease.close();
		get(fourth).close();
	}

	@Test
	void mutexesAndLocksInAnyOrderExcludeEachOther() throws Exception {
		AtomicInteger holders = new AtomicInteger();
		int[] counter = new int[1];
		List<CompletableFuture<Void>> users = new ArrayList<>();
		ZooKeeperLocks others = registry();
		InterProcessMutex mutex = mutex();
		for (int user = 0; user < 6; user++) {
			NamedLock own = ((user < 4) ? this.locks : others).lock("lock");
			users.add(call(() -> repeat(Section.of(own), holders, counter)));
		}
		for (int user = 0; user < 2; user++) {
			users.add(call(() -> repeat(Section.of(mutex), holders, counter)));
		}
		for (CompletableFuture<Void> user : users) {
			get(user);
		}
		assertThat(counter[0]).isEqualTo(8 * 200);
		awaitNodes("lock", 0);
	}

	/**
	 * What runs a task under a lock, whosever it is.
	 */
	private interface Section {

		void run(Runnable task) throws Exception;

		static Section of(NamedLock lock) {
			return (task) -> {
				lock.lock();
				try {
					task.run();
				}
				finally {
					lock.unlock();
				}
			};
		}

		static Section of(InterProcessMutex mutex) {
			return (task) -> {
				mutex.acquire();
				try {
					task.run();
				}
				finally {
					mutex.release();
				}
			};
		}

	}

	private static Void repeat(Section section, AtomicInteger holders, int[] counter) throws Exception {
		for (int round = 0; round < 200; round++) {
			section.run(() -> {
				assertThat(holders.incrementAndGet()).isEqualTo(1);
				counter[0]++;
				holders.decrementAndGet();
			});
		}
		return null;
	}

	// Read and write locks

	@Test
	void readersShare() throws Exception {
		InterProcessMutex reader = readWriteLock().readLock();
		try (LockLease lease = this.read.acquire()) {
			assertThat(get(take(reader))).isTrue();
			assertThat(this.read.tryLock()).isTrue();
			this.read.unlock();
			assertThat(lease.isHeld()).isTrue();
		}
		this.read.acquire().close();
		giveBack(reader);
	}

	@Test
	void curatorsWriterExcludesBothModes() throws Exception {
		InterProcessMutex writer = readWriteLock().writeLock();
		for (NamedLock excluded : List.of(this.read, this.write)) {
			assertThat(get(take(writer))).isTrue();
			assertThat(excluded.tryLock()).isFalse();
			CompletableFuture<LockLease> waiting = excluded.acquireAsync(PATIENCE);
			awaitNodes("lock", 2);
			settle(this.shared);
			assertThat(waiting).isNotDone();
			giveBack(writer);
			get(waiting).close();
		}
	}

	@Test
	void curatorsReaderExcludesWriters() throws Exception {
		InterProcessMutex reader = readWriteLock().readLock();
		assertThat(get(take(reader))).isTrue();
		assertThat(this.write.tryLock()).isFalse();
		CompletableFuture<LockLease> waiting = this.write.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		settle(this.shared);
		assertThat(waiting).isNotDone();
		giveBack(reader);
		get(waiting).close();
	}

	@Test
	void writerExcludesBothOfCurators() throws Exception {
		InterProcessReadWriteLock curators = readWriteLock();
		for (InterProcessMutex excluded : List.of(curators.readLock(), curators.writeLock())) {
			LockLease lease = this.write.acquire();
			assertThat(tryToTake(excluded)).isFalse();
			CompletableFuture<Boolean> waiting = take(excluded);
			awaitNodes("lock", 2);
			assertThat(waiting).isNotDone();
			lease.close();
			assertThat(get(waiting)).isTrue();
			giveBack(excluded);
		}
	}

	@Test
	void readerExcludesCuratorsWriter() throws Exception {
		InterProcessMutex writer = readWriteLock().writeLock();
		LockLease lease = this.read.acquire();
		assertThat(tryToTake(writer)).isFalse();
		CompletableFuture<Boolean> waiting = take(writer);
		awaitNodes("lock", 2);
		assertThat(waiting).isNotDone();
		assertThat(this.read.tryLock()).as("waits behind the writer").isFalse();
		lease.close();
		assertThat(get(waiting)).isTrue();
		giveBack(writer);
	}

	/**
	 * Curator's reader gets the number of its writer, whose node goes while another
	 * writer watches it.
	 */
	@Test
	@Tag("H15")
	void writerWaitsForCuratorsWriterThatGoesOnReading() throws Exception {
		InterProcessReadWriteLock curators = readWriteLock();
		assertThat(get(take(curators.writeLock()))).isTrue();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		settle(this.shared);
		long lists = lists();
		assertThat(get(take(curators.readLock()))).isTrue();
		giveBack(curators.writeLock());
		await().atMost(PATIENCE).until(() -> lists() > lists);
		settle(this.shared);
		assertThat(writer).isNotDone();
		giveBack(curators.readLock());
		get(writer).close();
	}

	@Test
	@Tag("H15")
	void readerGoesOnWithCuratorsWriterThatGoesOnReading() throws Exception {
		InterProcessReadWriteLock curators = readWriteLock();
		assertThat(get(take(curators.writeLock()))).isTrue();
		CompletableFuture<LockLease> reader = this.read.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		settle(this.shared);
		assertThat(get(take(curators.readLock()))).isTrue();
		assertThat(reader).isNotDone();
		giveBack(curators.writeLock());
		LockLease reading = get(reader);
		assertThat(reading.isHeld()).isTrue();
		reading.close();
		settle(this.shared);
		assertThat(writer).isNotDone();
		giveBack(curators.readLock());
		get(writer).close();
	}

	@Test
	@Tag("H15")
	void writerThatComesAfterCuratorsDowngradeWaits() throws Exception {
		InterProcessReadWriteLock curators = readWriteLock();
		assertThat(get(take(curators.writeLock()))).isTrue();
		assertThat(get(take(curators.readLock()))).isTrue();
		CompletableFuture<LockLease> writer = this.write.acquireAsync(PATIENCE);
		awaitNodes("lock", 3);
		settle(this.shared);
		giveBack(curators.writeLock());
		awaitNodes("lock", 2);
		settle(this.shared);
		assertThat(writer).isNotDone();
		giveBack(curators.readLock());
		get(writer).close();
	}

	private long lists() {
		return this.proxy.frames(Direction.TO_CLIENT, Operation.GET_CHILDREN);
	}

	@Test
	void curatorsWriterWaitsForOurWriterThatGoesOnReading() throws Exception {
		InterProcessMutex writer = readWriteLock().writeLock();
		this.write.lock();
		CompletableFuture<Boolean> waiting = take(writer);
		awaitNodes("lock", 2);
		this.read.lock();
		this.write.unlock();
		assertThat(nodes("lock")).hasSize(2);
		assertThat(waiting).isNotDone();
		this.read.unlock();
		assertThat(get(waiting)).isTrue();
		giveBack(writer);
	}

	/**
	 * Two numbers that are equal whenever nobody writes, and a count of all writes.
	 */
	private static final class Pair {

		private int one;

		private int other;

		private final AtomicInteger writes = new AtomicInteger();

		void write() {
			this.one++;
			Thread.onSpinWait();
			assertThat(this.other).isEqualTo(this.one - 1);
			this.other++;
			this.writes.incrementAndGet();
		}

		void read() {
			int before = this.other;
			Thread.onSpinWait();
			assertThat(this.one).isEqualTo(before);
		}

	}

	@Test
	void readersAndWritersOfBothInAnyOrderExcludeEachOther() throws Exception {
		Pair pair = new Pair();
		InterProcessReadWriteLock curators = readWriteLock();
		ZooKeeperLocks others = closing(builder().curatorReadWrite(true).build());
		List<CompletableFuture<Void>> users = new ArrayList<>();
		for (int user = 0; user < 6; user++) {
			ZooKeeperLocks own = (user % 2 == 0) ? this.shared : others;
			Random random = new Random(user);
			users.add(
					call(() -> mix(random, pair, Section.of(own.readLock("lock")), Section.of(own.writeLock("lock")))));
		}
		for (int user = 0; user < 4; user++) {
			Random random = new Random(100 + user);
			users.add(call(() -> mix(random, pair, Section.of(curators.readLock()), Section.of(curators.writeLock()))));
		}
		for (CompletableFuture<Void> user : users) {
			get(user);
		}
		assertThat(pair.one).isEqualTo(pair.other).isEqualTo(pair.writes.get()).isGreaterThan(300);
		awaitNodes("lock", 0);
	}

	/**
	 * Read or write, and sometimes read inside writing.
	 */
	private static Void mix(Random random, Pair pair, Section reading, Section writing) throws Exception {
		for (int round = 0; round < 100; round++) {
			switch (random.nextInt(4)) {
				case 0, 1 -> reading.run(pair::read);
				case 2 -> writing.run(pair::write);
				default -> writing.run(() -> {
					pair.write();
					runQuietly(reading, pair::read);
				});
			}
		}
		return null;
	}

	private static void runQuietly(Section section, Runnable task) {
		try {
			section.run(task);
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

}
