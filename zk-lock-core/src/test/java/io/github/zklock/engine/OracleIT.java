package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.zklock.LockException;
import io.github.zklock.LockLease;
import io.github.zklock.LockLostException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.Direction;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.FaultProxy;
import io.github.zklock.embedded.Operation;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Several registries, many threads, random faults, and a cell that notices everything: an
 * update that is lost, holders who exclude each other, and a token that goes back.
 */
@Tag("H36")
class OracleIT extends LockTestSupport {

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static final int FAULT_MILLIS = 2_000;

	private static final int NAMES = 3;

	private static final int REGISTRIES = 3;

	private static final int THREADS = 4;

	private final List<Cell> cells = new ArrayList<>();

	private final AtomicBoolean over = new AtomicBoolean();

	private final AtomicInteger faults = new AtomicInteger();

	private final AtomicInteger granted = new AtomicInteger();

	OracleIT(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	/**
	 * What the lock protects. Its counter is read, and written back a little later.
	 */
	private static final class Cell {

		private final Set<LockLease> writing = ConcurrentHashMap.newKeySet();

		private final Set<LockLease> reading = ConcurrentHashMap.newKeySet();

		private final AtomicLong updates = new AtomicLong();

		private final AtomicLong lastToken = new AtomicLong();

		private final AtomicLong lastWriter = new AtomicLong();

		private volatile long counter;

		void update(LockLease lease, boolean askForToken) {
			if (!lease.isHeld()) {
				return;
			}
			this.writing.add(lease);
			boolean alone = noneHeldBut(lease, this.writing) && noneHeldBut(lease, this.reading);
			assertThat(alone || !lease.isHeld()).as("two holders").isTrue();
			if (askForToken) {
				checkToken(lease, this.lastToken.get(), this.lastWriter);
			}
			long read = this.counter;
			spin();
			if (lease.isHeld()) {
				this.counter = read + 1;
				this.updates.incrementAndGet();
			}
			this.writing.remove(lease);
		}

		void read(LockLease lease, boolean askForToken) {
			if (!lease.isHeld()) {
				return;
			}
			this.reading.add(lease);
			boolean noWriter = noneHeldBut(lease, this.writing);
			assertThat(noWriter || !lease.isHeld()).as("a reader and a writer").isTrue();
			if (askForToken) {
				checkToken(lease, this.lastWriter.get(), this.lastToken);
			}
			long read = this.counter;
			spin();
			boolean unchanged = read == this.counter;
			assertThat(unchanged || !lease.isHeld()).as("changed while it was read").isTrue();
			this.reading.remove(lease);
		}

		/**
		 * Whoever is still inside with a lease that he has lost, knows it.
		 */
		private static boolean noneHeldBut(LockLease own, Set<LockLease> leases) {
			return leases.stream().noneMatch((other) -> other != own && other.isHeld());
		}

		private void checkToken(LockLease lease, long earlier, AtomicLong last) {
			try {
				long token = lease.fencingToken();
				assertThat(token > earlier || !lease.isHeld()).as("token %d after %d", token, earlier).isTrue();
				last.accumulateAndGet(token, Math::max);
				this.lastToken.accumulateAndGet(token, Math::max);
			}
			catch (LockLostException ex) {
				assertThat(lease.isHeld()).isFalse();
			}
		}

		private static void spin() {
			for (int spin = 0; spin < 200; spin++) {
				Thread.onSpinWait();
			}
		}

	}

	@Test
	void nothingIsEverSharedOrLost() throws Exception {
		Seeded.run((seed) -> useAndSabotage(seed, Duration.ofSeconds(10)));
	}

	@Test
	@Tag("soak")
	@Timeout(value = 1, unit = TimeUnit.DAYS)
	void nothingIsEverSharedOrLostForLong() throws Exception {
		Seeded.run((seed) -> useAndSabotage(seed, Seeded.soakTime()));
	}

	private void useAndSabotage(long seed, Duration length) throws Exception {
		for (int name = 0; name < NAMES; name++) {
			this.cells.add(new Cell());
		}
		List<CompletableFuture<Void>> users = new ArrayList<>();
		List<CompletableFuture<Void>> saboteurs = new ArrayList<>();
		for (int registry = 0; registry < REGISTRIES; registry++) {
			FaultProxy proxy = proxy();
			ZooKeeperLocks locks = closing(builder(proxy.connectString(), SESSION).answerTimeout(ANSWER_TIME).build());
			for (int thread = 0; thread < THREADS; thread++) {
				Random random = new Random(seed + 31L * registry + thread);
				users.add(call(() -> use(locks, random)));
			}
			Random random = new Random(seed - registry);
			saboteurs.add(call(() -> sabotage(proxy, random)));
		}
		long start = System.nanoTime();
		await().atMost(length.plus(PATIENCE.multipliedBy(3)))
			.until(() -> users.stream().anyMatch(CompletableFuture::isCompletedExceptionally)
					|| (System.nanoTime() - start > length.toNanos() && hasSeenEnough()));
		this.over.set(true);
		for (CompletableFuture<Void> saboteur : saboteurs) {
			get(saboteur);
		}
		for (CompletableFuture<Void> user : users) {
			get(user);
		}
		System.out.println("OracleIT: %s grants, %s faults".formatted(this.granted, this.faults));
		for (int name = 0; name < NAMES; name++) {
			assertThat(this.cells.get(name).counter).isEqualTo(this.cells.get(name).updates.get());
			awaitNodes("lock-" + name, 0);
		}
	}

	private boolean hasSeenEnough() {
		return this.faults.get() > 10 && this.granted.get() > 20;
	}

	private Void use(ZooKeeperLocks locks, Random random) throws Exception {
		while (!this.over.get()) {
			int name = random.nextInt(NAMES);
			boolean reads = random.nextInt(3) == 0;
			NamedLock lock = reads ? locks.readLock("lock-" + name) : locks.lock("lock-" + name);
			try {
				Optional<LockLease> lease = take(lock, random);
				if (lease.isPresent()) {
					this.granted.incrementAndGet();
					try (LockLease held = lease.get()) {
						use(this.cells.get(name), held, reads, random.nextInt(3) == 0);
					}
				}
			}
			catch (LockException ex) {
				assertThat(ex.name()).isEqualTo("lock-" + name);
			}
		}
		return null;
	}

	private static void use(Cell cell, LockLease lease, boolean reads, boolean askForToken) {
		if (reads) {
			cell.read(lease, askForToken);
		}
		else {
			cell.update(lease, askForToken);
		}
	}

	private static Optional<LockLease> take(NamedLock lock, Random random) throws Exception {
		return switch (random.nextInt(5)) {
			case 0 -> lock.tryAcquire(Duration.ZERO);
			case 1 -> lock.tryAcquire(Duration.ofMillis(1 + random.nextInt(100)));
			case 2 -> {
				lock.lock();
				yield lock.lease();
			}
			case 3 -> takeOrCancel(lock, random.nextBoolean());
			default -> Optional.of(lock.acquire());
		};
	}

	private static Optional<LockLease> takeOrCancel(NamedLock lock, boolean cancel) throws InterruptedException {
		CompletableFuture<LockLease> future = lock.acquireAsync(Duration.ofMillis(500));
		if (cancel) {
			future.cancel(false);
		}
		try {
			return Optional.of(future.get());
		}
		catch (ExecutionException | CancellationException ex) {
			return Optional.empty();
		}
	}

	private Void sabotage(FaultProxy proxy, Random random) throws Exception {
		while (!this.over.get()) {
			FaultProxy.Trigger trigger = switch (random.nextInt(6)) {
				case 0 -> proxy.cutBefore(Operation.ANY, 1 + random.nextInt(50));
				case 1 -> proxy.cutAfter(Operation.ANY, 1 + random.nextInt(50));
				case 2 -> proxy.hold(Direction.TO_CLIENT, Operation.ANY, 1 + random.nextInt(50));
				case 3 -> proxy.hold(Direction.TO_SERVER, Operation.ANY, 1 + random.nextInt(50));
				case 4 -> proxy.passThenCut(Direction.TO_SERVER, Operation.CREATE, 1 + random.nextInt(5));
				default -> {
					proxy.swallow();
					yield proxy.cutBefore(Operation.ANY, 1000);
				}
			};
			boolean fired = trigger.await(Duration.ofMillis(200 + random.nextInt(2 * FAULT_MILLIS)));
			pause(Duration.ofMillis(random.nextInt(FAULT_MILLIS)));
			this.faults.addAndGet(fired ? 1 : 0);
			proxy.heal();
			pause(Duration.ofMillis(random.nextInt(1000)));
		}
		proxy.heal();
		return null;
	}

	/**
	 * Let faults last, and let the locks recover from them.
	 */
	private static void pause(Duration duration) throws InterruptedException {
		new CountDownLatch(1).await(duration.toMillis(), TimeUnit.MILLISECONDS);
	}

}
