package io.github.zklock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.LockUnavailableException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every fault at every frame of a conversation. Whatever happens, nobody is told a lie,
 * the lock is free in the end, and nothing is left behind.
 */
@Tag("H30")
@Tag("H32")
@Tag("H33")
@Tag("H36")
class EveryFrameTests extends EveryFrameSupport {

	private final ZooKeeperLocks others = registry();

	EveryFrameTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	private interface Conversation {

		void run(Locks here, Locks there, Oracle oracle) throws Exception;

	}

	/**
	 * What one of the two registries has to do with a lock.
	 */
	private record Locks(NamedLock lock, NamedLock reader) {

		static Locks of(ZooKeeperLocks locks, String name) {
			return new Locks(locks.lock(name), locks.readLock(name));
		}

		LockLease acquire() throws InterruptedException {
			return this.lock.acquire();
		}

		CompletableFuture<LockLease> acquireAsync() {
			return this.lock.acquireAsync(PATIENCE);
		}

		LockLease read() throws InterruptedException {
			return this.reader.acquire();
		}

		CompletableFuture<LockLease> readAsync() {
			return this.reader.acquireAsync(PATIENCE);
		}

	}

	/**
	 * Notices holders who exclude each other, and tokens that go back.
	 */
	private static final class Oracle {

		private final Set<LockLease> writers = ConcurrentHashMap.newKeySet();

		private final Set<LockLease> readers = ConcurrentHashMap.newKeySet();

		private final AtomicLong lastWriter = new AtomicLong();

		private final AtomicLong last = new AtomicLong();

		void use(LockLease lease) {
			if (!lease.isHeld()) {
				return;
			}
			this.writers.add(lease);
			assertAlone(lease, this.writers);
			assertAlone(lease, this.readers);
			checkToken(lease, this.last);
			this.lastWriter.set(this.last.get());
			this.writers.remove(lease);
		}

		/**
		 * Whoever has lost its lock may not know it yet. But no two leases are held at
		 * the same time.
		 */
		private static void assertAlone(LockLease lease, Set<LockLease> others) {
			List<LockLease> held = others.stream().filter((other) -> other != lease && other.isHeld()).toList();
			if (lease.isHeld()) {
				assertThat(held).isEmpty();
			}
		}

		void useAndClose(LockLease lease) {
			try (lease) {
				use(lease);
			}
		}

		void read(LockLease lease) {
			if (!lease.isHeld()) {
				return;
			}
			this.readers.add(lease);
			assertAlone(lease, this.writers);
			checkToken(lease, this.lastWriter);
			this.readers.remove(lease);
		}

		void readAndClose(LockLease lease) {
			try (lease) {
				read(lease);
			}
		}

		private void checkToken(LockLease lease, AtomicLong earlier) {
			try {
				long before = earlier.get();
				long token = lease.fencingToken();
				assertThat(token).isGreaterThan(before);
				this.last.accumulateAndGet(token, Math::max);
			}
			catch (LockLostException ex) {
				assertThat(lease.isHeld()).isFalse();
			}
		}

	}

	@Test
	void freeLockSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("free", (here, there, oracle) -> oracle.useAndClose(here.acquire()));
	}

	@Test
	void firstLockOfANameSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("first", (here, there, oracle) -> {
			oracle.useAndClose(here.acquire());
			oracle.useAndClose(there.acquire());
		});
	}

	@Test
	void contendedLockSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("contended", (here, there, oracle) -> {
			LockLease holder = there.acquire();
			CompletableFuture<LockLease> waiting = here.acquireAsync();
			oracle.use(holder);
			holder.close();
			oracle.useAndClose(get(waiting));
		});
	}

	@Test
	void localHandOverSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("local", (here, there, oracle) -> {
			LockLease first = here.acquire();
			CompletableFuture<LockLease> second = here.acquireAsync();
			CompletableFuture<LockLease> remote = there.acquireAsync();
			CompletableFuture<Void> secondDone = second.thenAccept(oracle::useAndClose);
			CompletableFuture<Void> remoteDone = remote.thenAccept(oracle::useAndClose);
			oracle.useAndClose(first);
			get(secondDone);
			get(remoteDone);
		});
	}

	@Test
	void waiterThatGivesUpLeavesNothingWhateverTheFault() throws Exception {
		everyFaultAtEveryFrame("give-up", (here, there, oracle) -> {
			try (LockLease holder = there.acquire()) {
				CompletableFuture<LockLease> waiting = here.acquireAsync();
				oracle.use(holder);
				waiting.cancel(false);
			}
			oracle.useAndClose(there.acquire());
		});
	}

	@Test
	void requestThatDoesNotWaitSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("zero", (here, there, oracle) -> {
			try {
				Optional<LockLease> lease = here.lock().tryAcquire(Duration.ZERO);
				lease.ifPresent(oracle::useAndClose);
			}
			catch (LockUnavailableException ex) {
				assertThat(ex.name()).startsWith("zero");
			}
		});
	}

	@Test
	void readersOfAFreeLockSurviveEveryFault() throws Exception {
		everyFaultAtEveryFrame("readers", (here, there, oracle) -> {
			CompletableFuture<LockLease> second = here.readAsync();
			oracle.readAndClose(here.read());
			oracle.readAndClose(get(second));
		});
	}

	@Test
	void readerBehindAWriterSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("reader-behind", (here, there, oracle) -> {
			LockLease writing = there.acquire();
			CompletableFuture<LockLease> reading = here.readAsync();
			oracle.useAndClose(writing);
			oracle.readAndClose(get(reading));
		});
	}

	@Test
	void writerBehindReadersSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("writer-behind", (here, there, oracle) -> {
			LockLease local = here.read();
			LockLease remote = there.read();
			CompletableFuture<LockLease> writing = here.acquireAsync();
			oracle.readAndClose(remote);
			oracle.readAndClose(local);
			oracle.useAndClose(get(writing));
		});
	}

	@Test
	void readerThatGivesUpBehindAWriterLeavesNothingWhateverTheFault() throws Exception {
		everyFaultAtEveryFrame("reader-gives-up", (here, there, oracle) -> {
			try (LockLease writing = there.acquire()) {
				CompletableFuture<LockLease> reading = here.readAsync();
				oracle.use(writing);
				reading.cancel(false);
			}
			oracle.useAndClose(there.acquire());
		});
	}

	@Test
	void localReaderBetweenLocalWritersSurvivesEveryFault() throws Exception {
		everyFaultAtEveryFrame("between", (here, there, oracle) -> {
			LockLease first = here.acquire();
			CompletableFuture<Void> reading = here.readAsync().thenAccept(oracle::readAndClose);
			CompletableFuture<Void> writing = here.acquireAsync().thenAccept(oracle::useAndClose);
			oracle.useAndClose(first);
			get(reading);
			get(writing);
		});
	}

	private void everyFaultAtEveryFrame(String name, Conversation conversation) throws Exception {
		attemptAtEveryFrame(name, (attempt, locks, proxy) -> {
			conversation.run(Locks.of(locks, attempt), Locks.of(this.others, attempt), new Oracle());
			proxy.heal();
			locks.lock(attempt).acquire().close();
			this.others.lock(attempt).acquire().close();
			awaitNodes(attempt, 0);
		});
	}

	@Override
	void prepare(String attempt) throws Exception {
		if (!attempt.startsWith("first")) {
			this.others.lock(attempt).acquire().close();
		}
	}

}
