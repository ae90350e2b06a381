package io.github.zklock.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.zklock.LockLease;
import io.github.zklock.LockListener;
import io.github.zklock.embedded.ConnectString;
import io.github.zklock.embedded.EmbeddedZooKeeper;
import io.github.zklock.embedded.Sessions;
import io.github.zklock.leader.LeaderElection;
import io.github.zklock.leader.LeadershipListener;
import io.github.zklock.zookeeper.ZooKeeperLocks;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

/**
 * Registries that call their users by an executor of theirs.
 */
class UserExecutorTests extends ElectionTestSupport {

	private static final String OWN_THREAD = "zk-lock-.*-user-\\d+";

	private static final Duration FOR_EVER = Duration.ofHours(1);

	private final ExecutorService single = Executors.newSingleThreadExecutor((task) -> new Thread(task, "single"));

	private final CountDownLatch busy = new CountDownLatch(1);

	private final Set<String> threads = ConcurrentHashMap.newKeySet();

	private final AtomicInteger calls = new AtomicInteger();

	UserExecutorTests(EmbeddedZooKeeper server, @ConnectString String connectString) {
		super(server, connectString);
	}

	@AfterEach
	void shutDown() {
		this.busy.countDown();
		this.single.shutdownNow();
	}

	private ZooKeeperLocks registry(Executor executor) {
		return closing(builder().userExecutor(executor).handOverWait(FOR_EVER).listener(new LockListener() {

			@Override
			public void acquired(LockLease lease, Duration waited) {
				called();
			}

		}).build());
	}

	private void called() {
		this.threads.add(Thread.currentThread().getName());
		this.calls.incrementAndGet();
	}

	private void awaitCalls(int count) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.calls).hasValue(count));
	}

	private void saturate() {
		this.single.execute(() -> {
			try {
				this.busy.await();
			}
			catch (InterruptedException ex) {
				// the end
			}
		});
	}

	/**
	 * Have a listener, a dependent of a future, a loss action and a listener of an
	 * election called.
	 */
	private void haveUsersCalled(ZooKeeperLocks locks) throws Exception {
		LeaderElection election = locks.election(ROLE);
		election.addListener(new LeadershipListener() {

			@Override
			public void granted(String role, long fencingToken) {
				called();
			}

		});
		election.join();
		awaitCalls(1);
		LockLease first = locks.lock("lock").acquire();
		awaitCalls(2);
		CompletableFuture<LockLease> future = locks.lock("lock").acquireAsync(PATIENCE);
		future.whenComplete((lease, failure) -> called());
		first.close();
		// Not by a wait for the future: who waits for it runs what hangs on it
		awaitCalls(4);
		get(future).onLost(this::called);
		locks.breakLock("lock");
		awaitCalls(5);
	}

	@Test
	void usersAreCalledByTheExecutor() throws Exception {
		haveUsersCalled(registry(this.single));
		// now and then it may be late
		assertThat(this.threads).contains("single").allMatch((name) -> name.matches("single|" + OWN_THREAD));
	}

	@Test
	void executorThatRunsTasksAtOnceRunsThemOnThreadsOfOurs() throws Exception {
		haveUsersCalled(registry(Runnable::run));
		assertThat(this.threads).allMatch((name) -> name.matches(OWN_THREAD));
	}

	@Test
	void executorIsForUsersOnly() throws Exception {
		AtomicInteger tasks = new AtomicInteger();
		ZooKeeperLocks locks = closing(builder().userExecutor((task) -> {
			tasks.incrementAndGet();
			task.run();
		}).build());
		locks.lock("lock").acquire().close();
		ZooKeeper session = locks.zooKeeper();
		Sessions.expire(session, server().connectString());
		await().atMost(PATIENCE).until(() -> !session.getState().isAlive());
		locks.lock("lock").acquire().close();
		locks.close();
		assertThat(tasks).hasValue(0);
	}

	@Test
	void lockIsNotStuckBehindThoseWhoWaitForIt() throws Exception {
		ZooKeeperLocks locks = registry(this.single);
		LockLease held = locks.lock("lock").acquire();
		CompletableFuture<LockLease> future = locks.lock("lock").acquireAsync(FOR_EVER);
		CompletableFuture<LockLease> got = CompletableFuture.supplyAsync(future::join, this.single);
		CompletableFuture<LockLease> next = call(() -> locks.lock("lock").acquire());
		held.close();
		get(got).close();
		get(next).close();
	}

	@Test
	void waitEndsAlthoughTheExecutorIsSaturated() throws Exception {
		ZooKeeperLocks locks = registry(this.single);
		LockLease held = locks.lock("lock").acquire();
		saturate();
		CompletableFuture<LockLease> future = locks.lock("lock").acquireAsync(Duration.ofMillis(1));
		await().atMost(PATIENCE).until(future::isCompletedExceptionally);
		held.close();
	}

	@Test
	void handOverDoesNotWaitForASaturatedExecutor() throws Exception {
		ZooKeeperLocks locks = registry(this.single);
		LeaderElection election = locks.election(ROLE);
		election.addListener(new LeadershipListener() {

			@Override
			public void revoked(String role, long fencingToken) {
				called();
			}

		});
		lead(locks);
		saturate();
		get(call(() -> {
			election.leave();
			return null;
		}));
		assertThat(this.calls).hasValue(1);
		assertThat(leaderNodes()).isEmpty();
	}

	@Test
	void executorIsNotShutDown() throws Exception {
		ZooKeeperLocks locks = registry(this.single);
		haveUsersCalled(locks);
		locks.close();
		assertThat(this.single.isShutdown()).isFalse();
	}

	@Test
	void registryMayBeClosedAfterItsExecutor() throws Exception {
		ZooKeeperLocks locks = registry(this.single);
		LockLease lease = locks.lock("lock").acquire();
		awaitCalls(1);
		lease.onLost(this::called);
		CompletableFuture<LockLease> future = locks.lock("lock").acquireAsync(FOR_EVER);
		this.single.shutdownNow();
		locks.close();
		awaitCalls(2);
		await().atMost(PATIENCE).until(future::isCompletedExceptionally);
	}

	@Test
	void executorIsRequired() {
		assertThatNullPointerException().isThrownBy(() -> builder().userExecutor(nothing()))
			.withMessage("'userExecutor' must not be null");
	}

	@SuppressWarnings("NullAway")
	private static Executor nothing() {
		return null;
	}

}
