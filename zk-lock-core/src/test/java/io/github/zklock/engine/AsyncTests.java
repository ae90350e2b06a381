package io.github.zklock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

class AsyncTests extends LockTestSupport {

	private final NamedLock lock = registry().lock("lock");

	private final NamedLock elsewhere = registry().lock("lock");

	AsyncTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@Test
	void contendedFutureFailsWithTimeout() throws Exception {
		try (LockLease lease = this.elsewhere.acquire()) {
			assertThat(this.lock.tryLock()).as("refused by ZooKeeper").isFalse();
			assertThat(this.lock.acquireAsync(Duration.ofSeconds(2))).failsWithin(PATIENCE)
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

	private static void spin(int rounds) {
		for (int round = 0; round < 10 * rounds; round++) {
			Thread.onSpinWait();
		}
	}

	@Test
	void cancelRacesGrantByTheServer() throws Exception {
		AtomicInteger holders = new AtomicInteger();
		List<CompletableFuture<Integer>> users = new ArrayList<>();
		for (int user = 0; user < 4; user++) {
			users.add(call(() -> {
				int granted = 0;
				for (int round = 0; round < 500; round++) {
					CompletableFuture<LockLease> future = this.lock.acquireAsync(PATIENCE);
					CompletableFuture<Integer> used = future.thenApply((lease) -> {
						assertThat(holders.incrementAndGet()).isEqualTo(1);
						holders.decrementAndGet();
						lease.close();
						return 1;
					});
					if (round % 4 != 0) {
						spin(round % 64);
						future.cancel(false);
					}
					granted += get(used.exceptionally((failure) -> 0));
				}
				return granted;
			}));
		}
		for (CompletableFuture<Integer> user : users) {
			assertThat(get(user)).isGreaterThanOrEqualTo(125);
		}
		awaitNodes("lock", 0);
	}

}
