package io.github.zklock.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockTimeoutException;
import io.github.zklock.NamedLock;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class AsyncTests extends LockTestSupport {

	private final NamedLock lock = registry().lock("lock");

	private final NamedLock elsewhere = registry().lock("lock");

	AsyncTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void futureGivesALeaseOnAThreadOfTheLibrary() throws Exception {
		CompletableFuture<String> thread = new CompletableFuture<>();
		LockLease lease = get(this.lock.acquireAsync(PATIENCE).thenApply((granted) -> {
			thread.complete(Thread.currentThread().getName());
			return granted;
		}));
		assertThat(lease.isHeld()).isTrue();
		assertThat(get(thread)).startsWith("zk-lock-").contains("-user-");
		lease.close();
	}

	@Test
	void contendedFutureFailsWithTimeout() throws Exception {
		try (LockLease lease = this.elsewhere.acquire()) {
			assertThat(this.lock.acquireAsync(Duration.ofMillis(100))).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockTimeoutException.class)
				.withMessageContaining("'lock'");
			assertThat(this.lock.acquireAsync(Duration.ZERO)).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockTimeoutException.class);
			awaitNodes("lock", 1);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	@Test
	void cancelLeavesTheQueue() throws Exception {
		LockLease lease = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		assertThat(waiting.cancel(true)).isTrue();
		awaitNodes("lock", 1);
		lease.close();
	}

	@Test
	void timeoutBySomebodyElseLeavesTheQueue() throws Exception {
		LockLease lease = this.elsewhere.acquire();
		CompletableFuture<LockLease> waiting = this.lock.acquireAsync(PATIENCE);
		awaitNodes("lock", 2);
		assertThat(waiting.orTimeout(1, TimeUnit.MILLISECONDS)).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(TimeoutException.class);
		awaitNodes("lock", 1);
		lease.close();
	}

	@Test
	void waitThatIsOverBeforeItBeginsLeavesNothing() throws Exception {
		LockLease lease = this.elsewhere.acquire();
		for (int attempt = 0; attempt < 500; attempt++) {
			CompletableFuture<LockLease> waiting = this.lock.acquireAsync(Duration.ofNanos(1));
			waiting.exceptionally((failure) -> null);
		}
		awaitNodes("lock", 1);
		lease.close();
		get(this.lock.acquireAsync(PATIENCE)).close();
	}

	@Test
	void cancelOfALocalWaiterPassesTheLockOn() throws Exception {
		LockLease lease = this.lock.acquire();
		CompletableFuture<LockLease> second = this.lock.acquireAsync(PATIENCE);
		CompletableFuture<LockLease> third = this.lock.acquireAsync(PATIENCE);
		second.cancel(false);
		lease.close();
		get(third).close();
	}

	/**
	 * A grant that meets a cancel is released: 40,000 races, most of them local, so that
	 * grants are as quick as cancels.
	 */
	@Test
	void cancelRacesGrant() throws Exception {
		int races = 40_000;
		AtomicInteger granted = new AtomicInteger();
		AtomicInteger cancelled = new AtomicInteger();
		CountDownLatch done = new CountDownLatch(races);
		LockLease first = this.lock.acquire();
		CompletableFuture<LockLease> previous = CompletableFuture.completedFuture(first);
		for (int race = 0; race < races; race++) {
			CompletableFuture<LockLease> next = this.lock.acquireAsync(PATIENCE);
			next.whenComplete((lease, failure) -> {
				if (lease != null) {
					granted.incrementAndGet();
					lease.close();
				}
				else {
					cancelled.incrementAndGet();
				}
				done.countDown();
			});
			CompletableFuture<LockLease> before = previous;
			before.whenComplete((lease, failure) -> {
				if (lease != null) {
					lease.close();
				}
			});
			next.cancel(false);
			previous = next;
		}
		assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
		assertThat(granted.get() + cancelled.get()).isEqualTo(races);
		get(this.lock.acquireAsync(PATIENCE)).close();
		awaitNodes("lock", 0);
	}

	@Test
	void cancelRacesGrantFromAnotherThread() throws Exception {
		List<CompletableFuture<Void>> rounds = new ArrayList<>();
		AtomicInteger granted = new AtomicInteger();
		AtomicInteger holders = new AtomicInteger();
		for (int thread = 0; thread < 4; thread++) {
			rounds.add(call(() -> {
				for (int round = 0; round < 2_500; round++) {
					CompletableFuture<LockLease> future = this.lock.acquireAsync(PATIENCE);
					CompletableFuture<Void> used = future.thenAccept((lease) -> {
						granted.incrementAndGet();
						assertThat(holders.incrementAndGet()).isEqualTo(1);
						holders.decrementAndGet();
						lease.close();
					});
					for (int spin = 0; spin < round % 100; spin++) {
						Thread.onSpinWait();
					}
					future.cancel(false);
					used.exceptionally((failure) -> null).get(30, TimeUnit.SECONDS);
				}
				return null;
			}));
		}
		for (CompletableFuture<Void> round : rounds) {
			get(round);
		}
		assertThat(granted.get()).as("some were granted").isPositive();
		get(this.lock.acquireAsync(PATIENCE)).close();
		awaitNodes("lock", 0);
		await().untilAsserted(() -> assertThat(holders).hasValue(0));
	}

}
